"""Pages beside the ranking: best to worst by prompt, outside metrics."""
