"""Signals that other packages may listen to."""

from __future__ import annotations

from django.dispatch import Signal

# Sent inside the transaction that submits; keyword arguments: project_id (int), annotation_ids (list of int).
annotation_submitted = Signal()
