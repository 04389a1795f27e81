"""What operators need: lights, start-up checks, metrics, log lines, backups. Nothing in it is labelling."""
