"""File formats: CSV, Parquet, XLSX."""
