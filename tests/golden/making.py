"""Everything that leaves a project: exports, the bundle, reports, the API's answers, the addresses.

Two runs of one code give the same bytes on every database: the clock stands still, sequences begin at 1, and
what is drawn at random is put in order.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, Final
from unittest import mock
from uuid import UUID

from django.core.management import call_command
from django.urls import URLPattern, URLResolver, get_resolver
from PIL import Image as Picture

from analysis.data import versions
from analysis.exports.files import Export
from analysis.exports.registry import layouts_of
from analysis.models import KEPT_UP_TO_DATE
from analysis.reports.lifecycle import request_report, run_report
from annotator.demo.projects import DATA, group_prompts
from annotator.exchange.formats.published import SHOWN
from annotator.models import Project
from annotator.uploads.from_server import import_study
from tests.analysis.api.callers import calling
from tests.analysis.bundles.making import bundle_of, exports_of, files_of
from tests.factories import ANNOTATOR, LEAD, make_member, make_project, make_user

LAYOUTS = layouts_of("anatomy")

SECTIONS: Final = ("", "/images", "/annotations")


def demo(folder: Path) -> Project:
    """Return the demo's study, imported: its own answers, and plain pictures in place of drawn ones."""
    shutil.copytree(DATA / "data", folder / "data")
    with (DATA / "data" / "prompt_groups.csv").open(encoding="utf-8", newline="") as file:
        prompts = [row["prompt"].replace(" ", "_") for row in csv.DictReader(file)]
    drawn = [path.relative_to(DATA) for path in (DATA / "images").glob("*/*/*")]
    drawn.sort(key=lambda path: (path.parts[1], prompts.index(path.parts[2]), path.name))
    for red, path in enumerate(drawn, start=1):
        target = (folder / path).with_suffix(".png")
        target.parent.mkdir(parents=True, exist_ok=True)
        Picture.new("RGB", (9, 7), (red, 5, 5)).save(target)
    project = _imported(folder, "demo", "Drawn figures (demo)")
    group_prompts(project)
    return project


def published(folder: Path) -> Project:
    """Return the published study, imported."""
    return _imported(folder, "published", "Published study", shown=SHOWN)


def _imported(folder: Path, slug: str, name: str, **options: Any) -> Project:
    project = make_project(slug, name=name)
    make_member(project, LEAD, user=make_user("lead"), code="lead")
    import_study(folder, project=project, doubles="random", **options)
    for place, image in enumerate(project.images.order_by("pk"), start=1):
        project.images.filter(pk=image.pk).update(public_id=UUID(int=place))
    return project


def artefacts(project: Project, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every artefact of a project by its name, such as `exports/scores.csv`."""
    with _one_version():
        yield from _reports(project)
        for name, contents in exports_of(project).items():
            yield f"exports/{name}", contents
        for layout in LAYOUTS.values():
            yield f"exports/{layout.slug}-hidden.csv", b"".join(Export(project, layout, hidden=True))
        bundle_of(project, folder / "bundle.zip")
        for name, contents in files_of(folder / "bundle.zip"):
            # A picture is named by its contents, and the list of hashes names them all.
            if not name.startswith("images/"):
                yield f"bundle/{name}", contents
        yield from _answers(project)


@contextmanager
def _one_version() -> Iterator[None]:
    """The version of the code changes with every line that computes: here it is that of no line."""
    with mock.patch.object(versions, "SOURCES", ()):
        versions.code_version.cache_clear()
        yield
    versions.code_version.cache_clear()


def addresses() -> bytes:
    """Return every address of the site with its name, one a line."""
    return "\n".join(sorted(_below(get_resolver(), ""))).encode()


def _below(resolver: URLResolver, root: str) -> Iterator[str]:
    for one in resolver.url_patterns:
        route = root + str(one.pattern)
        if isinstance(one, URLPattern):
            yield f"{route} {one.name or ''}".rstrip()
        else:
            yield from _below(one, route)


def _reports(project: Project) -> Iterator[tuple[str, bytes]]:
    for kind in KEPT_UP_TO_DATE:
        report = request_report(project=project, kind=kind, send=False)
        run_report(report.pk)
        report.refresh_from_db()
        yield f"reports/{kind}.json", json.dumps(report.result, indent=1, sort_keys=True).encode()
        said = StringIO()
        call_command("report", kind, project=project.slug, json=True, stdout=said)
        yield f"commands/report-{kind}.json", said.getvalue().encode()


def _answers(project: Project) -> Iterator[tuple[str, bytes]]:
    """Yield what the API tells the lead and, of the same addresses, one of the annotators."""
    people = {"lead": project.memberships.get(role=LEAD)}
    if (member := project.memberships.filter(role=ANNOTATOR).order_by("pk").first()) is not None:
        # Imported annotators have no account; without one every answer would be the same refusal.
        member.user = make_user("annotator")
        member.save()
        people["annotator"] = member
    for who, member in people.items():
        caller = calling(member)
        root = f"/projects/{project.slug}"
        reports = [f"{root}/reports/{kind}" for kind in KEPT_UP_TO_DATE]
        for path in ("/projects", *(root + section for section in SECTIONS), *reports):
            answer = caller.get(path)
            yield f"api/{who}{path}", f"{answer.status_code}\n".encode() + answer.content
