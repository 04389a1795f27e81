"""The annotators report as tables and findings."""
