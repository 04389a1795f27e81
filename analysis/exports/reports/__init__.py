"""Exports of report numbers."""
