"""Batches: planned, released, followed, changed, closed."""
