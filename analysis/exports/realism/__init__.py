"""The exports of the realism protocol: a row per rating, and a row per image with its consolidation."""
