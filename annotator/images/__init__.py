"""Images and their files: decoding, storage, copies for display, signed URLs."""
