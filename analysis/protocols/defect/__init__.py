"""The numbers of the protocols of defects."""
