"""Checks: one rule a function → findings. Structure, questions, images, audio, language, sets."""
