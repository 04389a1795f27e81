"""Races between people, tabs and workers, and the invariants that must hold afterwards."""
