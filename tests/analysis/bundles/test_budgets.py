"""A small bundle that would cost much to read: refused before it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analysis.bundles.restoring.archive import Opened
from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
from annotator.batches.plan_verification import fits_request, problems_of
from annotator.models import Project
from tests.analysis.bundles.making import back, kept_bundle, with_changed
from tests.analysis.bundles.test_bad_input import file_in, make_small, refusal, with_json
from tests.annotator.planned import make_study, people_of, released

pytestmark = pytest.mark.django_db
SUMS = "sha256sums.txt"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of three images and three answers; its project is gone."""
    return kept_bundle(make_small, tmp_path / "small.zip")


@pytest.mark.parametrize("again", ["README.txt", SUMS])
def test_a_file_listed_many_times_is_read_once(
    bundle: Path, again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = file_in(bundle, SUMS)
    line = next(line for line in listed.splitlines(keepends=True) if line.endswith(b"  README.txt\n"))
    more = line.replace(b"README.txt", again.encode()) * 10_000
    changed = with_changed(bundle, bundle.with_name("c.zip"), {SUMS: listed + more}, sums=False)
    reads: Counter[str] = Counter()
    pieces = Opened.pieces

    def counted(self: Opened, name: str) -> Iterator[bytes]:
        reads[name] += 1
        return pieces(self, name)

    monkeypatch.setattr(Opened, "pieces", counted)
    number = len(listed.splitlines()) + 1
    assert refusal(changed) == (
        f"{SUMS}, line {number}: {again} is unexpected; every other file is listed once. "
        "Export or copy the bundle again."
    )
    assert reads["README.txt"] == 1


def make_planned() -> Project:
    """Eight images planned for two annotators, and a change of annotators; prompts with commas and quotes."""
    project = make_study("planned", "ABC", generators=4, prompts=1)
    project.images.update(prompt=f'{"," * 600}\\" []{{}}, "')
    batch = released(project, "AB")
    people: dict[str, Any] = {"leaving": people_of(project, "B"), "joining": people_of(project, "C")}
    outcome = outcome_of(propose_people_change(batch=batch, **people))
    apply_people_change(batch=batch, **people, outcome=outcome, reason="ill", actor=None)
    return project


@pytest.fixture
def planned(tmp_path: Path) -> Path:
    """A bundle of a plan and its change; its project is gone."""
    return kept_bundle(make_planned, tmp_path / "planned.zip")


RELEASE = "plans/00001-release.json"
CHANGE = "plans/00002-change.json"


def test_commas_and_brackets_of_prompts_are_no_values(planned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.bundles.restoring.archive.MOST_VALUES", 600)
    assert file_in(planned, RELEASE).count(b",") > 600
    batch = back(planned).batches.get()
    assert problems_of(batch) == []
    assert fits_request(batch)


@pytest.mark.parametrize("name", [RELEASE, CHANGE])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"design":[%s[]]}' % ("[]," * 3_000), "about 6,003 values; the limit is 2,000."),
        ('{"design":"\u2200%s\u2200"}' % ('",[],"' * 1_500), "about "),
        ("[" * 1_900, "expected JSON, but maximum recursion depth exceeded"),
        ("{}", "this is not the document of a "),
        ("[]", "expected an object."),
    ],
    ids=["lists", "texts", "deep", "empty", "list"],
)
def test_a_document_that_is_no_plan(
    planned: Path, name: str, text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.bundles.restoring.archive.MOST_VALUES", 2_000)
    encoded = text.encode("utf-16" if "\u2200" in text else "ascii")
    changed = with_changed(planned, planned.with_name("c.zip"), {name: encoded})
    assert refusal(changed).startswith(f"{name}: {said}")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"overlap":"', b'"overlap":"1e999999999', "invalid literal for int"),
        (
            b'{"algorithm"',
            b'{"design":{"annotators":[["D",null]]},"algorithm"',
            "the annotators are not where",
        ),
        (b'"design":{"annotators"', b'"design": {"annotators"', "no annotators in this document"),
        (b'"kind":"change"', b'"kind":"other"', "made by"),
    ],
)
def test_a_plan_that_pages_could_not_read(planned: Path, old: bytes, new: bytes, said: str) -> None:
    name = CHANGE if b"kind" in old else RELEASE
    text = file_in(planned, name)
    assert old in text
    changed = with_changed(planned, planned.with_name("c.zip"), {name: text.replace(old, new, 1)})
    assert refusal(changed).startswith(f"{name}: {said}")


def test_a_document_of_two_plans(planned: Path) -> None:
    def change(found: dict[str, Any]) -> None:
        found["plans"][1]["file"] = RELEASE

    said = f"project.json, plans 2: “file” {RELEASE} occurs twice."
    assert refusal(with_json(planned, change)) == said
