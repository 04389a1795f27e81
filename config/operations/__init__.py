"""Operations: health checks, start-up checks, metrics, log lines and backups."""
