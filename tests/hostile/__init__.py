"""Hostile and broken files, generated from a seed."""
