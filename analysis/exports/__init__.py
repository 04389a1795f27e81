"""Submitted answers as CSV files, written row by row however many there are."""
