"""The image and docker-compose.yml, built and started with podman."""
