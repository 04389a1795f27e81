"""The pages of the protocols of defects."""
