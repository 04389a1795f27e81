"""Second stages: batches whose images are drawn from another batch, under another protocol."""
