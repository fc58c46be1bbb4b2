"""Runs: the engine that asks, the folder that keeps, the policy that waits.

`ask` asks what is missing in a run folder; `open_run` reads one for marking; `study` runs a whole matrix.
"""

from keju.runs.run import Run

__all__ = ["Run"]
