"""Limits and durations of the site, which `config.settings` includes; read once, when a process starts."""

from __future__ import annotations

from datetime import timedelta

from config import env

# After this many failed attempts for one user name from one address, or for one account's codes, or after
# FAILURES_BY_ADDRESS from one address, which a whole laboratory may share, sign-in is refused for this time.
AXES_FAILURE_LIMIT = 5
FAILURES_BY_ADDRESS = 50
AXES_COOLOFF_TIME = timedelta(minutes=15)
SESSION_COOKIE_AGE = 60 * 60 * 24 * env.number("SESSION_DAYS", default=14)  # after signing in
# Size of uploads.
MAX_UPLOAD_BYTES = env.number("MAX_UPLOAD_BYTES", default=2 * 1024**3)  # of one file, sent in one request
MAX_UPLOAD_FILES = 200_000  # of one upload, and entries of an archive
# Bytes that uploads leave free on disk for annotations and the database.
UPLOAD_RESERVE_BYTES = env.number("UPLOAD_RESERVE_BYTES", default=1024**3)
UPLOADS_OPEN = 50  # per person
# Limits per person and project: contents of refused saves kept a day, and their bytes.
REFUSED_KEPT = 1000
REFUSED_KEPT_BYTES = 16 * 1024**2
# Size of images. Originals are kept; annotators see a display copy whose longer side has at most
# DISPLAY_MAX_SIDE pixels.
MAX_IMAGE_BYTES = 64 * 1024 * 1024
# Decoding WebP, the most demanding format, takes 16 bytes per pixel; 4,096 by 4,096 fits.
MAX_IMAGE_PIXELS = env.number("MAX_IMAGE_PIXELS", default=18_000_000)
MIN_IMAGE_SIDE = env.number("MIN_IMAGE_SIDE", default=64)  # pixels; a smaller image cannot be judged
DISPLAY_MAX_SIDE = 1600
# Days for which a lead can restore a deleted project.
DELETION_GRACE_DAYS = env.number("DELETION_GRACE_DAYS", default=30)
# Days for which failed sign-ins are kept with their addresses.
SIGN_IN_RECORDS_DAYS = 30
# Days after which former members are unlinked from their codes; 0 keeps them.
PERSONAL_DATA_DAYS = env.number("PERSONAL_DATA_DAYS", default=0)
# Days for which export files and bundles can be downloaded.
EXPORT_DAYS = 7
