"""Migrate a database of an earlier version and compare its contents."""
