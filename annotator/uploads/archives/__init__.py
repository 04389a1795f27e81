"""Zip archives that somebody brings."""
