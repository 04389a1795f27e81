"""Suggestions from outside."""
