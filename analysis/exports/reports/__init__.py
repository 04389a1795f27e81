"""The numbers of reports as files."""
