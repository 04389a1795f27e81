"""Compute a report in this process, with the same rows as the pages, and print it."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from collections.abc import Mapping
from textwrap import fill
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.models import Report
from analysis.reports.key_order import in_order
from analysis.reports.lifecycle import request_report, run_report
from analysis.reports.stages import UNMARKED_AS_ZERO
from analysis.reports.stored import newest_done
from analysis.tables.generic import report_findings, result_tables
from analysis.tables.table import LINE, as_text
from annotator.management.arguments import project_named, protocol_asked_for
from annotator.models import Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.work.leases import UNDER_WAY

LOOK_AGAIN_SECONDS = 0.3


class Command(BaseCommand):
    """`manage.py report agreement --project SLUG --json`."""

    help = "Compute a report on a project's submitted annotations and print it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("kind", choices=Report.Kind.values)
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument(
            "--protocol", metavar="SLUG", help="protocol of the report; required if there are several"
        )
        parser.add_argument(
            "--unmarked-as-zero",
            action="store_true",
            help="two stages: count images left out for lack of marks as 0 in stage 2",
        )
        parser.add_argument("--json", action="store_true", help="print JSON instead of tables")

    def handle(self, *, kind: str, project: str, protocol: str | None = None, **options: Any) -> None:
        """Print the report; raise CommandError if it cannot be computed."""
        found = project_named(project)
        settings = {}
        if options["unmarked_as_zero"]:
            if kind != Report.Kind.STAGES:
                raise CommandError("--unmarked-as-zero applies only to the report stages.")
            settings = {UNMARKED_AS_ZERO: True}
        report = finished_report(found, kind, protocol_asked_for(found, protocol), settings)
        if options["json"]:
            self.stdout.write(json.dumps(in_order(report.result), ensure_ascii=False, indent=2))
            return
        annotations = "1 annotation" if report.annotations == 1 else f"{report.annotations:,} annotations"
        self.stdout.write(f"{report.get_kind_display()} of {report.project.name}, over {annotations}")
        result = report.result or {}
        for finding in report_findings(result):
            self.stdout.write(f"\n{fill(finding.text, LINE)}")
        for table in result_tables(result):
            self.stdout.write(f"\n{as_text(table)}")


def finished_report(
    project: Project,
    kind: str,
    protocol: str = DEFAULT_PROTOCOL,
    settings: Mapping[str, Any] | None = None,
) -> Report:
    """Return the report, computed here unless a worker is computing it; raise CommandError."""
    asked = request_report(project=project, kind=kind, protocol=protocol, settings=settings, send=False)
    while Report.objects.filter(pk=asked.pk, status__in=UNDER_WAY).exists():
        # Wait while a worker holds it; if that worker dies, its lease expires and we compute it.
        if not run_report(asked.pk):
            time.sleep(LOOK_AGAIN_SECONDS)
    # If nothing has changed, the row is deleted and the last report is current.
    report = Report.objects.filter(pk=asked.pk).first() or newest_done(project, kind, protocol)
    if report is not None and settings is not None and report.settings != settings:
        # A worker was computing one with other settings.
        return finished_report(project, kind, protocol, settings)
    if report is None:
        raise CommandError("The report was deleted while it was computed.")
    if report.status == Report.Status.FAILED:
        raise CommandError(report.error)
    if report.status == Report.Status.CANCELLED:
        raise CommandError("The report was cancelled.")
    return report
