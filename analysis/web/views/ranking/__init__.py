"""Further pages of the ranking: best to worst by prompt, outside metrics."""
