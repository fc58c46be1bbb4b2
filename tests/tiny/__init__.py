"""Tiny models with random weights of the real architectures, built on the spot: some 100,000 parameters each.

They load by the same path as a checkpoint of the hub and answer garbage: they test loading, templates, processors and
batches, not skill.
"""
