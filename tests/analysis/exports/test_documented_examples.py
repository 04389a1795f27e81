"""The example of docs/reference/data-formats.md is what the program writes."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from analysis.exports.files import Export
from analysis.exports.formats import FORMATS
from analysis.exports.registry import layouts_of
from annotator.models import Project
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_image, make_mark, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "data-formats.md").read_text(encoding="utf-8")
MOMENT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


@pytest.fixture
def example() -> Project:
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
