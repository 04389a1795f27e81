"""Backups: database and media in one file, verified before anything is overwritten."""
