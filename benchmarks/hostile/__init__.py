"""Hostile and broken input, generated from a seed and sent like uploads."""
