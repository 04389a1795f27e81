"""Figures of the 25 cells: alphas, the body map, generators crossed with prompts."""
