"""Sources of an upload's files: received, in a folder, in a bucket."""
