"""Batches that follow others: which of a batch's images are judged again, under another protocol."""
