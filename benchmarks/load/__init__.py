"""Annotators against the real process set, with a bare Django floor as a baseline."""
