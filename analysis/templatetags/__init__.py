"""Template filters for report pages."""
