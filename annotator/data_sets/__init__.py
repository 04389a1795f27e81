"""What becomes part of a project's data set: detections, filters, settings."""
