"""The agreement report as tables and findings."""
