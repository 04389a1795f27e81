"""Receivers of the signals other packages send."""
