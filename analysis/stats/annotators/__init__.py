"""Comparison of annotators with others on the same images."""
