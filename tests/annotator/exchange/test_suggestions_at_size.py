"""100,000 suggestions are stored within a minute and 300 MB; a file that is too large is not read."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest

from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.suggestion_rows import check_suggestions, store_suggestions
from annotator.models import Image, Suggestion
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db
ROWS = 100_000


def most_kilobytes() -> int:
    """The most memory that this process has ever used; a child's would include what it was forked from."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def seconds() -> float:
    """Processor time of this process and those it waited for."""
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in times)


@pytest.mark.thorough
def test_a_hundred_thousand_rows(tmp_path: Path) -> None:
    project = make_project("counted")
    like = make_image(project, source_name="other.png")
    fields = {"project": project, "generator": "g", "prompt": "p", "width": like.width, "height": like.height}
    for start in range(0, ROWS, 5000):
        Image.objects.bulk_create(
            Image(**fields, source_name=f"{n}.png", sha256=f"{n:064x}", number=n)
            for n in range(start, start + 5000)
        )
    path = tmp_path / "counts.jsonl"
    row = {"people": 3, "visible": {"torso": 3, "limbs": 12, "feet": 6, "hands": 6, "face": 3}}
    path.write_text("".join(f"{json.dumps({'file': f'{n}.png', **row})}\n" for n in range(ROWS)))
    taken, held = seconds(), most_kilobytes()
    store_suggestions(check_suggestions(path, project), project, source="counter")
    assert Suggestion.objects.count() == ROWS
    assert seconds() - taken < 60
    assert most_kilobytes() - held < 300 * 1024


def test_a_file_of_500_mb_is_refused_without_being_read(tmp_path: Path) -> None:
    for name, first, what in (
        ("counts.jsonl", b'{"file": "a.png"}\n', "counts"),
        ("counts.csv", b"file,hands\n", "counts"),
        ("masks.json", b'{"images": []', "masks"),
    ):
        path = tmp_path / name
        with path.open("wb") as file:
            file.write(first)
            file.truncate(500 * 2**20)
        held = most_kilobytes()
        with pytest.raises(StudyRefused, match="is larger than"):
            check_suggestions(path, make_project(name.partition(".")[2]), what=what)
        assert most_kilobytes() - held < 100 * 1024
