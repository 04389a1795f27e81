"""Backups: database and media in one file, checked before anything is overwritten."""
