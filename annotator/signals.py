"""Signals that other packages may listen to."""

from __future__ import annotations

from django.dispatch import Signal

# Each passes `protocols`, the slugs of the protocols concerned.

# Sent inside the transaction that submits; keyword arguments: project_id (int), annotation_ids (list of int).
annotation_submitted = Signal()

# Sent inside the transaction that removes or restores submitted annotations with their image;
# keyword argument: project_id (int).
answers_moved = Signal()

# Sent inside the transaction that adjudicates an image, or changes or withdraws that; keyword argument:
# project_id (int).
image_adjudicated = Signal()

# Sent inside the transaction in which a participant of a norming session submits or skips an image; keyword
# argument: batch_id (int). Passes no `protocols`.
norming_judged = Signal()
