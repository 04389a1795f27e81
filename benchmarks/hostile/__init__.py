"""Input that is meant to do harm, or is broken: made from a seed, sent as people send it, counted."""
