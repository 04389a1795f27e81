"""Generator, prompt and number from file names."""
