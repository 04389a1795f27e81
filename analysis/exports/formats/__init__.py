"""How lines become bytes: CSV, JSON Lines, Parquet, XLSX."""
