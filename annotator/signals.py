"""Signals that other packages may listen to."""

from __future__ import annotations

from django.dispatch import Signal

# Each says with `protocols`, a collection of slugs, whose answers it is about.

# Sent inside the transaction that submits; keyword arguments: project_id (int), annotation_ids (list of int).
annotation_submitted = Signal()

# Sent inside the transaction that takes submitted answers away, or brings them back, with their image;
# keyword argument: project_id (int).
answers_moved = Signal()

# Sent inside the transaction that settles an image's value, changes or withdraws it; keyword argument:
# project_id (int).
image_adjudicated = Signal()
