"""Pages of reports, earlier reports, and downloads."""
