"""Signals that other packages may listen to."""

from __future__ import annotations

from django.dispatch import Signal

# Each passes `protocols`, the slugs of the protocols concerned.

# Sent inside the transaction that imports submitted annotations, removes or restores them with their image,
# or changes a setting that their scores depend on; keyword argument: project_id (int). What annotators submit
# is found by its Events.
answers_moved = Signal()

# Sent inside the transaction that adjudicates an image, or changes or withdraws that; keyword argument:
# project_id (int).
image_adjudicated = Signal()

# Sent inside the transaction in which a participant of a norming session submits or skips an image; keyword
# argument: batch_id (int). Passes no `protocols`.
norming_judged = Signal()
