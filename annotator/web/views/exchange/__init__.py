"""Import annotation files, and download queues as spreadsheets."""
