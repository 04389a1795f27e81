"""From scored images to a data set: filters, splits, pairs; for any score from 1 to 10."""
