"""Uploads: sending files, checking their names, storing them."""
