"""The image and docker-compose.yml, built and brought up with podman."""
