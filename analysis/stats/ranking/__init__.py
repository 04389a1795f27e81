"""Ranking of generators over prompts, for any protocol; outside metrics beside people."""
