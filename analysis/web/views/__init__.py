"""Pages of reports, and downloads."""
