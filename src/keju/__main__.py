"""`python -m keju`."""

from keju.cli import entry

entry()
