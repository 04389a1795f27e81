"""Finished reports of a bundle: each is shown once before it is stored."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import partial
from typing import Any

from analysis.bundles.restoring.archive import BundleRefused, Opened
from analysis.bundles.restoring.manifest import Manifest
from analysis.bundles.restoring.rules import storable
from analysis.bundles.restoring.staging import Staging
from analysis.data.ratings_table import Digests, input_digests
from analysis.data.versions import code_version
from analysis.models import Report
from analysis.reports.image_references import with_images
from analysis.reports.lifecycle import digest_now
from analysis.sections import page_of_report
from annotator.work.execution import WorkRefused


def store_reports(
    manifest: Manifest, bundle: Opened, staging: Staging, ids: Mapping[str, array[int]]
) -> None:
    """Store the reports in the staging, whose ids by name are `ids`; raise BundleRefused naming a file."""
    if not manifest.reports:
        return
    made = staging.project
    about = {row["protocol"] for row in manifest.reports}
    digests = {slug: input_digests(made, slug) for slug in about}
    for row in manifest.reports:
        values = dict(row)
        name, current = values.pop("file"), values.pop("current")
        found = bundle.object(name)
        if not storable(found):
            raise BundleRefused(f"{name}: it has a text or a number that the database cannot store.")
        try:
            result = _with_ids(found, ids)
            report = Report(project=made, status=Report.Status.DONE, kept=True, result=result, **values)
            page_of_report(report, made)
        except Exception as error:
            raise BundleRefused(f"{name}: this is not the result of a report ({error!r}).") from error
        # Mark it as computed here, because the result would be the same.
        if current and row["code_version"] == code_version():
            report.input_digest = _digest(report, digests[report.protocol])
        with staging.writing():
            report.save()


def _digest(report: Report, digests: Digests) -> str:
    """Return the digest of the restored input; empty if a stage was not in the bundle."""
    try:
        return digest_now(report, digests)
    except WorkRefused:
        return ""


def local_id(ids: array[int], line: object) -> int:
    """Return the id of a line, 0 if there is none."""
    known = isinstance(line, int) and 1 <= line <= len(ids)
    return ids[line - 1] if known else 0  # type: ignore[operator]


def _with_ids(result: dict[str, Any], ids: Mapping[str, array[int]]) -> dict[str, Any]:
    """Return a result whose strips and disagreements refer to images and annotations by local ids."""
    if isinstance(result.get("strips"), dict):
        result["strips"] = with_images(result["strips"], partial(local_id, ids["images"]))
    for row in result.get("disagreements", {}).get("rows", []):
        row["image"] = local_id(ids["images"], row["image"])
        row["annotations"] = [local_id(ids["annotations"], line) for line in row["annotations"]]
    return result
