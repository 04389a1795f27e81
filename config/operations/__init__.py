"""Operations: health checks, start-up checks and log lines."""
