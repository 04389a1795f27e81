"""Comparison of generators, prompts and groups."""
