"""Comparison of annotators: leniency and drift."""
