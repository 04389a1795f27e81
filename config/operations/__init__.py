"""Operations: health checks, start-up checks, metrics and log lines."""
