"""The comparison report as tables and findings."""
