"""One source for what columns mean: the dictionary of a bundle and the page of data formats; its example."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from analysis.bundles.tables import DICTIONARY_COLUMNS, PICTURE_COLUMNS, PLAN_COLUMNS
from analysis.exports.columns import Column
from analysis.exports.files import Export
from analysis.exports.formats import FORMATS
from analysis.exports.registry import layouts_of
from analysis.exports.shared_columns import SHARED
from annotator.models import Project
from scoring.service import PROTOCOLS
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_image, make_mark, make_member, make_payload, make_project

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "data-formats.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Table:
    """A table as the page has it: its lines stand under `heading`."""

    heading: str
    columns: tuple[Column, ...]

    @property
    def lines(self) -> set[str]:
        """Those of its own columns."""
        return {column.documented for column in self.columns} - OF_ALL


OF_ALL = {column.documented for column in SHARED}
OF_BUNDLES = "### Tables of the bundle"
TABLES = {
    **{
        f"{slug} {name}": Table(
            f"### {name if slug == 'anatomy' else slug.replace('defect-', 'defect ').split()[0]}",
            layout.columns,
        )
        for slug in PROTOCOLS
        for name, layout in layouts_of(slug).items()
    },
    "pictures": Table(OF_BUNDLES, PICTURE_COLUMNS),
    "plan": Table(OF_BUNDLES, PLAN_COLUMNS),
    "dictionary": Table(OF_BUNDLES, DICTIONARY_COLUMNS),
}
# The page leaves the variables of the stages of defects to the dictionary.
ON_PAGE = {
    name: table
    for name, table in TABLES.items()
    if not re.fullmatch(r"defect-\w+ (scores|ratings|images)", name)
}
SHARED_HEADING = "## Out: layouts and formats"


def lines_under(heading: str) -> list[str]:
    """Lines of the tables of columns below a heading, up to the next one."""
    section = PAGE.split(f"\n{heading}\n", 1)[1]
    section = re.split(r"\n#{2,3} ", section, maxsplit=1)[0]
    tables = re.split(r"\n\n", section)
    of_columns = [table for table in tables if table.lstrip().startswith("| column |")]
    return [line for table in of_columns for line in table.strip().splitlines()[2:]]


@pytest.mark.parametrize("heading", sorted({SHARED_HEADING, *(table.heading for table in ON_PAGE.values())}))
def test_the_page_says_what_the_dictionary_says(heading: str) -> None:
    of_tables = (table.lines for table in ON_PAGE.values() if table.heading == heading)
    known = OF_ALL if heading == SHARED_HEADING else set().union(*of_tables)
    assert {line for line in lines_under(heading) if "| see above |" not in line} == known


MOMENT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


@pytest.fixture
def example(db: None) -> Project:
    """One image with two errors, judged by two people."""
    project = make_project("example")
    image = make_image(project, generator="dall-e3", prompt="couple hugging", prompt_group="pair", number=1)
    image.sha256 = "ab" * 32
    image.save()
    batch = make_batch(project, name="pilot")
    first = make_submitted(
        make_member(project, code="anno1"),
        [("missing.limbs", "1/4c"), ("configuration.hands", "1/3b")],
        image=image,
        batch=batch,
        submitted_at=MOMENT,
    )
    pinned = {**make_mark("missing.limbs", "1/4c", own_total=False), "pins": [{"x": 0.25, "y": 0.5}]}
    first.payload = {**make_payload([]), "marks": [pinned, make_mark("configuration.hands", "1/3b")]}
    first.payload["no_errors"] = False
    first.save()
    make_submitted(make_member(project, code="anno2"), [], image=image, batch=batch, submitted_at=MOMENT)
    return project


def test_the_example_of_marks_is_what_is_written(example: Project) -> None:
    (text,) = re.findall(r"`marks` as csv:\n\n```\n(.*?)```\n", PAGE, re.DOTALL)
    written = b"".join(Export(example, layouts_of("anatomy")["marks"], FORMATS["csv"]))
    assert written.decode().replace("\r\n", "\n") == text
