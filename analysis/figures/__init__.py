"""Figures of stored results as plain Vega-Lite values, made without the numeric stack."""
