"""Receivers of the signals other packages send."""

from __future__ import annotations

from django.db import transaction
from django.dispatch import receiver

from analysis.models import Report
from analysis.reports import queue_report
from annotator.signals import annotation_submitted


@receiver(annotation_submitted, dispatch_uid="analysis.reports")
def ask_for_reports(*, project_id: int, **_: object) -> None:
    """Ask for both reports once the submission is stored; while one is queued nothing new is made."""

    def ask() -> None:
        for kind in Report.Kind.values:
            queue_report(project_id=project_id, kind=kind)

    # Robust: the answer is stored, and nothing that goes wrong here may tell the annotator otherwise.
    transaction.on_commit(ask, robust=True)
