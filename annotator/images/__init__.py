"""Images and their files: decoding, storage, display copies, signed URLs."""
