"""Annotators at work against the real process set, and a bare Django floor beside it."""
