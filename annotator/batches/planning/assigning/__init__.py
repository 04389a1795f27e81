"""The search for a plan: controlled rounding of fractions, then exchanges that repair imbalance."""
