"""Receivers of signals from other packages."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.dispatch import receiver

from analysis.models import EXPECTED
from analysis.protocols.registry import numbers_of
from analysis.reports.lifecycle import expect_reports
from annotator.signals import answers_moved, image_adjudicated


@receiver(answers_moved, dispatch_uid="analysis.reports.moved")
def ask_for_reports(*, project_id: int, protocols: Collection[str], **_: object) -> None:
    """Request reports after the change is stored; a burst of changes requests one of each kind."""

    def ask() -> None:
        expect_reports(project_id, EXPECTED, protocols=protocols)

    # Robust: the change is stored, so an error here must not reach the person who made it.
    transaction.on_commit(ask, robust=True)


@receiver(image_adjudicated, dispatch_uid="analysis.reports.adjudicated")
def request_after_adjudication(*, project_id: int, protocols: Collection[str], **_: object) -> None:
    """Request the reports that use adjudicated values, as above."""

    def ask() -> None:
        for protocol in protocols:
            expect_reports(project_id, sorted(numbers_of(protocol).using_adjudicated), protocols=[protocol])

    transaction.on_commit(ask, robust=True)
