"""Restore a project from a publication bundle."""
