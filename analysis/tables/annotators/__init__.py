"""The annotators report as tables and sentences."""
