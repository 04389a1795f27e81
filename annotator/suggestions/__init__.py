"""Suggestions from outside: their runs, and who is shown which."""
