"""Uploads of leads: received in pieces, checked, and stored once confirmed."""
