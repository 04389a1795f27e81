"""Test the product in an environment with requirements.lock and nothing else."""
