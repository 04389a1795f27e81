"""Races: what several people, tabs and workers do at the same moment, and what must hold afterwards."""
