"""Filters of the pages of reports."""
