"""What templates ask for by name."""
