"""Where the files of an upload lie: received, in a folder, in a bucket."""
