"""Annotators side by side: leniency and drift."""
