"""The agreement report as tables and sentences."""
