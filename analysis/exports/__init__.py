"""Exports of annotations and reports, written row by row."""
