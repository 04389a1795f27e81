"""The same bytes as before, of everything that leaves a project; computed numbers to six digits.

A digest that differs names the artefact. To see what has changed, write both states into folders and compare
them: `GOLDEN=folder pytest tests/golden` here and in a checkout of an earlier commit, then `diff -r`. Where a
change is meant, `GOLDEN_TAKE=1 pytest tests/golden` takes the present state for the right one.

Two runs of one code give the same bytes on every database: the clock stands still, sequences begin at 1, and
what is drawn at random is put in order.

Whatever the machine: the last digits of a computed number are not its own. Products of matrices add up in an
order that depends on the processor: a mean may differ in its sixteenth digit, and what an optimiser finds in
its eighth. What statistics compute is compared to five digits, a drawing to tenths of a pixel, its pixels by
their number, because letters look as the machine's fonts do. A workbook is compared by the files in it,
because each version of Python packs them with other headers, and versions of Python and of libraries are left
out. All else is compared byte by byte.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any, Final
from unittest import mock
from uuid import UUID

import pandas as pd
import pytest
from django.core.management import call_command
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from PIL import Image
from PIL import Image as Picture
from pytest_django.fixtures import Settings

from analysis.data import versions
from analysis.exports.files import Export
from analysis.exports.registry import layouts_of
from analysis.models import KEPT_UP_TO_DATE
from analysis.reports.lifecycle import RUN_REPORT, request_report, run_report
from annotator.demo.projects import DATA, group_prompts
from annotator.exchange.formats.published import SHOWN
from annotator.models import Project
from annotator.uploads.from_server import import_study
from tests.analysis.api.callers import calling
from tests.analysis.bundles.making import exports_of, unpacked
from tests.factories import ANNOTATOR, LEAD, make_member, make_project, make_user
from tests.support.messages import ids_sent_to

_COMPUTED: Final = re.compile(r"(agreement|annotators|comparison)|/(datapackage\.json|sha256sums\.txt)$")
_LONG_NUMBER: Final = re.compile(rb"-?\d+\.\d{10,}(?:e[-+]?\d+)?")
_DRAWN: Final = re.compile(rb"-?\d+\.\d+")
_DIGEST: Final = re.compile(rb"\b[0-9a-f]{64}\b")
_SIZE: Final = re.compile(rb'"bytes": \d+')
_VERSION: Final = re.compile(rb'((?:Python|NumPy|SciPy) |"(?:python|numpy|scipy)": ")\d[\w.]*')


def steady(name: str, contents: bytes) -> bytes:
    """Return what is compared of an artefact: its bytes, or for computed numbers its text with rounded ones.

    Digests and sizes of files that hold computed numbers go; the files themselves are compared.
    """
    if not name.endswith((".png", ".parquet", ".xlsx")):
        contents = _VERSION.sub(rb"\1", contents)
    if not _COMPUTED.search(name):
        return _unpacked(contents) if name.endswith(".xlsx") else contents
    if name.endswith(".png"):
        return repr(Image.open(io.BytesIO(contents)).size).encode()
    if name.endswith(".svg"):
        return _DRAWN.sub(lambda found: b"%.1f" % (round(float(found[0]), 1) + 0.0), contents)
    read = _TABLES.get(name.rpartition(".")[2])
    text = read(contents) if read else contents
    text = _LONG_NUMBER.sub(lambda found: b"%.5g" % round(float(found[0]), 5), text)
    return _SIZE.sub(b"", _DIGEST.sub(b"", text))


def _unpacked(contents: bytes) -> bytes:
    """Return the names and contents of the files in a zip archive."""
    with zipfile.ZipFile(io.BytesIO(contents)) as archive:
        return b"".join(name.encode() + archive.read(name) for name in archive.namelist())


def _text(table: pd.DataFrame) -> bytes:
    return "\n".join([str(list(table.dtypes.items())), table.to_csv(index=False)]).encode()


_TABLES: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "parquet": lambda contents: _text(pd.read_parquet(io.BytesIO(contents))),
    "xlsx": lambda contents: _text(pd.read_excel(io.BytesIO(contents))),
}


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
        for name, contents in unpacked(project, folder, reports=True).items():
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


DIGESTS: Final = Path(__file__).with_name("digests.json")
NOW: Final = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
fresh = pytest.mark.django_db(transaction=True, reset_sequences=True)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> None:
    """The clock stands, nothing is sent, and pictures lie in a folder of their own."""
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    ids_sent_to(monkeypatch, RUN_REPORT)
    settings.MEDIA_ROOT = tmp_path / "media"


@fresh
@pytest.mark.slow
def test_the_demo(still: None, tmp_path: Path) -> None:
    _compare("demo", artefacts(demo(tmp_path / "drawn"), tmp_path))


@fresh
@pytest.mark.slow
@pytest.mark.thorough
def test_the_published_study(still: None, study_data: Path, tmp_path: Path) -> None:
    _compare("published", artefacts(published(study_data), tmp_path))


def test_the_addresses() -> None:
    _compare("site", [("addresses", addresses())])


def _compare(name: str, made: Iterable[tuple[str, bytes]]) -> None:
    found = {}
    for artefact, contents in made:
        found[artefact] = hashlib.sha256(steady(artefact, contents)).hexdigest()
        _keep(name, artefact, contents)
    known = json.loads(DIGESTS.read_text())
    if os.environ.get("GOLDEN_TAKE"):
        DIGESTS.write_text(json.dumps(known | {name: found}, indent=1, sort_keys=True) + "\n")
        return
    assert {key for key, digest in found.items() if known[name].get(key) != digest} == set()
    assert found.keys() == known[name].keys()


def _keep(name: str, artefact: str, contents: bytes) -> None:
    if folder := os.environ.get("GOLDEN"):
        path = Path(folder, name, artefact.replace("?", "_")).with_suffix(Path(artefact).suffix or ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
