"""What a team installs works: the product in an environment that holds requirements.lock and nothing else."""
