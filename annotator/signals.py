"""Signals that other packages may listen to."""

from __future__ import annotations

from django.dispatch import Signal

# Sent inside the transaction in which a participant of a norming session submits or skips an image; keyword
# argument: batch_id (int).
norming_judged = Signal()
