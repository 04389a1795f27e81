"""Agreement between annotators: alpha, ladder, disagreements."""
