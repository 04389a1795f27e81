"""The comparison report as tables and sentences."""
