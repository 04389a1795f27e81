"""How long the site keeps what was deleted or is only recorded for a time; `config.settings` includes it.

Retention periods of a project are its leads' to set: `annotator.records.retention`.
"""

from __future__ import annotations

from config import env

# How long a lead can restore a deleted project or image.
DELETION_GRACE_DAYS = env.number("DELETION_GRACE_DAYS", default=30)
# Retention of failed sign-ins with their addresses.
SIGN_IN_RECORDS_DAYS = env.number("SIGN_IN_RECORDS_DAYS", default=30)
