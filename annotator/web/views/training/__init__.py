"""Pages of references and training."""
