"""Exports for any protocol, from the ratings of its variables alone."""
