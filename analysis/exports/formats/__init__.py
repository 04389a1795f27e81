"""File formats: CSV, JSON Lines, Parquet, XLSX."""
