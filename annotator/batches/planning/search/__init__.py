"""The search for a plan: fractions rounded under control, then exchanges that repair what is uneven."""
