"""Uploaded zip archives."""
