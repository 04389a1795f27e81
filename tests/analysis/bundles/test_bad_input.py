"""What is no bundle, or not the one that was made: refused by name, with nothing stored."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.core.management.base import CommandError

from analysis.bundles.restoring.archive import BundleRefused
from analysis.bundles.restoring.restoring import restore
from annotator.models import Image, Membership, Project
from tests.analysis.bundles.making import kept, make_picture, with_changed
from tests.analysis.factories import EARLIER, make_submitted
from tests.factories import make_batch, make_image, make_member, make_project, png_bytes

pytestmark = pytest.mark.django_db
ANNOTATIONS = "restore/annotations.jsonl"
IMAGES = "restore/images.jsonl"
ASSIGNMENTS = "restore/assignments.jsonl"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of three images and three answers; its project is gone."""
    return kept(make_small, tmp_path).at(tmp_path / "small.zip")


def make_small() -> Project:
    """Three images, three answers."""
    project = make_project("small", name="Small")
    batch = make_batch(project, name="pilot")
    person = make_member(project, code="anno1")
    for number in (1, 2, 3):
        image = make_picture(project, number=number)
        make_submitted(person, image=image, batch=batch, submitted_at=EARLIER, saved_at=EARLIER)
    return project


def refusal(path: Path) -> str:
    """What is said; nothing may be left of the attempt."""
    target = make_project("target")
    before = (Project.objects.count(), Image.objects.count(), Membership.objects.count())
    with pytest.raises(BundleRefused) as refused:
        restore(path, target, actor=None, watch=lambda *_: None)
    assert (Project.objects.count(), Image.objects.count(), Membership.objects.count()) == before
    assert not list(Path(default_storage.path(f"originals/{target.pk}")).rglob("*.*"))
    assert not target.events.exists()
    return str(refused.value)


def file_in(path: Path, name: str) -> bytes:
    with ZipFile(path) as archive:
        return archive.read(name)


def with_json(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """A bundle whose project.json says something else, hashes renewed."""
    found = json.loads(file_in(path, "project.json"))
    change(found)
    changes = {"project.json": json.dumps(found).encode()}
    return with_changed(path, path.with_name("changed.zip"), changes)


def with_row(path: Path, name: str, line: int, change: Callable[[dict[str, Any]], object]) -> Path:
    """A bundle in which one row says something else, hashes renewed."""
    rows = [json.loads(text) for text in file_in(path, name).splitlines()]
    change(rows[line - 1])
    text = "".join(json.dumps(row) + "\n" for row in rows)
    return with_changed(path, path.with_name("changed.zip"), {name: text.encode()})


def test_the_bundle_itself_is_fine(bundle: Path) -> None:
    made = restore(bundle, make_project("target"), actor=None, watch=lambda *_: None)
    assert (made.images, made.annotations) == (3, 3)


def test_a_bundle_that_was_unpacked_and_packed_again_is_fine(bundle: Path) -> None:
    again = bundle.with_name("again.zip")
    with ZipFile(bundle) as old, ZipFile(again, "w") as new:
        for name in reversed(old.namelist()):
            new.writestr(f"small/{name}", old.read(name))
        new.writestr("__MACOSX/small/._README.txt", b"x")
        new.writestr("small/.DS_Store", b"x")
    made = restore(again, make_project("target"), actor=None, watch=lambda *_: None)
    assert (made.images, made.annotations) == (3, 3)


def test_a_truncated_zip(bundle: Path) -> None:
    whole = bundle.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        bundle.write_bytes(whole[:length])
        Project.objects.filter(slug="target").delete()
        assert "This is not a zip archive" in refusal(bundle)


def test_a_changed_byte_is_found_in_whatever_file_it_is(bundle: Path) -> None:
    whole = bundle.read_bytes()
    with ZipFile(bundle) as archive:
        entries = archive.infolist()
    for entry in (*entries[:: len(entries) // 12], entries[-1]):
        name_length, more_length = struct.unpack_from("<HH", whole, entry.header_offset + 26)
        place = entry.header_offset + 30 + name_length + more_length + entry.compress_size // 2
        changed = bytearray(whole)
        changed[place] ^= 1
        bundle.write_bytes(changed)
        Project.objects.filter(slug="target").delete()
        assert refusal(bundle), entry.filename


def test_a_changed_file_is_named(bundle: Path) -> None:
    changed = with_changed(bundle, bundle.with_name("c.zip"), {"README.txt": b"Hello"}, sums=False)
    said = refusal(changed)
    assert said.startswith("README.txt was changed: its SHA-256 is 185f8db32271…, sha256sums.txt has ")


def test_a_missing_file_is_named(bundle: Path) -> None:
    changed = with_changed(bundle, bundle.with_name("c.zip"), {"data/marks.csv": None}, sums=False)
    assert refusal(changed) == "data/marks.csv is missing. Export or copy the bundle again."


def test_a_file_too_many_is_named(bundle: Path) -> None:
    changed = with_changed(bundle, bundle.with_name("c.zip"), {"data/more.csv": b"x"}, sums=False)
    assert refusal(changed).startswith("data/more.csv is not listed in sha256sums.txt: it was added later.")


def test_a_newer_version(bundle: Path) -> None:
    said = refusal(with_json(bundle, lambda found: found.update(version=2)))
    assert said == (
        "project.json: the bundle has version 2, but this program reads version 1. "
        "A later version of the program may read it."
    )


def test_another_program_s_data_package(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("datapackage.json", "{}")
    assert refusal(tmp_path / "other.zip") == (
        "This is not an Anatomark publication bundle but a data package of another program: project.json is "
        "missing."
    )


def test_another_program_s_project(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("project.json", '{"format": "something else"}')
    said = refusal(tmp_path / "other.zip")
    assert said == "project.json: the format is 'something else'; expected 'anatomark-bundle'."


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/outside", "a/../../b", "C:\\outside"])
def test_paths_that_lead_outside(bundle: Path, name: str) -> None:
    assert refusal(with_changed(bundle, bundle.with_name("c.zip"), {name: b"x"}))


def test_a_huge_declared_size(bundle: Path) -> None:
    whole = bytearray(bundle.read_bytes())
    place = whole.index(b"PK\x01\x02")
    name_length = struct.unpack_from("<H", whole, place + 28)[0]
    # The unpacked size in the ZIP64 field of the first record.
    struct.pack_into("<Q", whole, place + 46 + name_length + 4, 2**50)
    bundle.write_bytes(whole)
    assert "bytes would unpack to 1,125,899,906,842,624." in refusal(bundle)


@pytest.mark.parametrize(
    ("name", "line", "change", "said"),
    [
        (
            ANNOTATIONS,
            2,
            {"status": "done"},
            "line 2: “status” is done; expected draft or submitted or reopened.",
        ),
        (
            ANNOTATIONS,
            3,
            {"assignment": 4},
            "line 3: “assignment” is 4; expected a whole number from 1 to 3.",
        ),
        (ANNOTATIONS, 1, {"assignment": 2}, "line 2: the row is a duplicate or contradicts itself."),
        (
            ANNOTATIONS,
            1,
            {"saved_at": "yesterday"},
            "line 1: “saved_at” is yesterday; expected a time such as",
        ),
        (ANNOTATIONS, 1, {"payload": {"marks": []}}, "line 1: the ratings do not match the marks."),
        (
            ANNOTATIONS,
            1,
            {"payload": {"x": 1}},
            "line 1: the annotation is invalid: Refused: unknown key “x”.",
        ),
        (
            ANNOTATIONS,
            1,
            {"ratings": None},
            "line 1: a submitted annotation needs “ratings” and “submitted_at”.",
        ),
        (ANNOTATIONS, 1, {"source": {"cells": {"a": 1}}}, "expected the row it was imported from"),
        (ANNOTATIONS, 1, {"version": 0}, "line 1: “version” is 0; expected a whole number from 1"),
        (ANNOTATIONS, 1, {"more": 1}, "line 1: the key “more” is unknown; expected assignment, payload"),
        (ANNOTATIONS, 1, {"capture": {"a": "\0"}}, "line 1: “capture” is"),
        (ASSIGNMENTS, 2, {"image": 0}, "line 2: “image” is 0; expected a whole number from 1 to 3."),
        (
            ASSIGNMENTS,
            2,
            {"position": None},
            "line 2: exactly the withdrawn assignments have no position.",
        ),
        (ASSIGNMENTS, 2, {"position": 1}, "line 2: the row is a duplicate or contradicts itself."),
        (
            ASSIGNMENTS,
            3,
            {"purpose": "fun"},
            "line 3: “purpose” is fun; expected work or training or qualification or anchor or repeat or "
            "norming.",
        ),
        (
            ASSIGNMENTS,
            1,
            {"drawn": "twice"},
            "line 1: “drawn” is twice; expected single or random or targeted or unknown.",
        ),
        (
            ASSIGNMENTS,
            1,
            {"pass_no": -1},
            "line 1: “pass_no” is -1; expected a whole number from 0 to 32767.",
        ),
        (
            ASSIGNMENTS,
            1,
            {"annotator": True},
            "“annotator” is true; expected a whole number from 1 to 1.",
        ),
        (IMAGES, 1, {"width": 10}, "width is 9; restore/images.jsonl has 10."),
        (IMAGES, 1, {"format": "GIF"}, "line 1: “format” is GIF; expected PNG or JPEG or WEBP."),
        (IMAGES, 2, {"number": 1}, "line 2: the row is a duplicate or contradicts itself."),
        (IMAGES, 1, {"file": "images/other.png"}, "line 1: “file” is images/other.png; expected images/"),
        (IMAGES, 1, {"generator": "x" * 121}, "line 1: “generator” is"),
    ],
)
@pytest.mark.few(6)
def test_a_row_that_cannot_be_is_named(
    bundle: Path, name: str, line: int, change: dict[str, Any], said: str
) -> None:
    assert said in refusal(with_row(bundle, name, line, lambda row: row.update(change)))


def test_a_row_without_a_key(bundle: Path) -> None:
    said = refusal(with_row(bundle, ANNOTATIONS, 2, lambda row: row.pop("flagged")))
    assert said == "restore/annotations.jsonl, line 2: “flagged” is missing."


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"weights": {"a": "0.2", "b": "0.5"}}, "project.json: weight 'c' is missing."),
        ({"people": [{"code": "a", "is_active": 1}]}, "people 1: “is_active” is 1; expected true or false."),
        ({"people": [{"code": "a", "is_active": True}] * 2}, "people 2: “code” a occurs twice."),
        ({"batches": ["pilot"]}, "project.json, batches 1: expected an object."),
        ({"counts": {"images": 3}}, "project.json, counts: “pictures_missing” is missing."),
        ({"reports": [{}]}, "project.json, reports 1: “kind” is missing."),
    ],
)
def test_a_project_that_cannot_be_is_named(bundle: Path, change: dict[str, Any], said: str) -> None:
    assert said in refusal(with_json(bundle, lambda found: found.update(change)))


@pytest.mark.parametrize(
    ("follows", "said"),
    [
        ([5, None, None], "batches 1: “follows” is 5; there are 3."),
        ([1, None, None], "batches 1: “follows” leads back to this batch; expected an earlier stage."),
        ([None, 3, 2], "batches 2: “follows” leads back to this batch; expected an earlier stage."),
        ([0, None, None], "batches 1: “follows” is 0; expected a whole number from 1"),
    ],
)
def test_what_a_batch_cannot_follow(bundle: Path, follows: list[int | None], said: str) -> None:
    def change(found: dict[str, Any]) -> None:
        (batch,) = found["batches"]
        found["batches"] = [
            {**batch, "name": f"stage {place}", "follows": followed}
            for place, followed in enumerate(follows, 1)
        ]

    assert said in refusal(with_json(bundle, change))


@pytest.mark.parametrize(
    ("value", "said"),
    [("[" * 400 + "]" * 400, "line 1: more than 64 values are nested"), ("1e999", "line 1: “capture” is")],
)
def test_what_no_database_can_store(bundle: Path, value: str, said: str) -> None:
    text = file_in(bundle, ANNOTATIONS).replace(b'"capture":{', f'"capture":{{"a":{value}'.encode(), 1)
    assert said in refusal(with_changed(bundle, bundle.with_name("c.zip"), {ANNOTATIONS: text}))


def test_rows_that_are_missing_are_counted(bundle: Path) -> None:
    rows = file_in(bundle, ANNOTATIONS).splitlines(keepends=True)
    changed = with_changed(bundle, bundle.with_name("c.zip"), {ANNOTATIONS: b"".join(rows[:-1])})
    assert refusal(changed) == "restore/annotations.jsonl has 2 rows; project.json says 3."


@pytest.mark.parametrize("text", [b"{", b'{"a": NaN}\n', b"[]\n", b"[" * 100_000 + b"\n", b"\xff\n"])
@pytest.mark.few(2)
def test_lines_that_are_no_objects(bundle: Path, text: bytes) -> None:
    said = refusal(with_changed(bundle, bundle.with_name("c.zip"), {IMAGES: text}))
    assert said.startswith(("restore/images.jsonl, line 1: expected", "restore/images.jsonl: the last line"))


def test_another_picture_under_the_hash(bundle: Path) -> None:
    with ZipFile(bundle) as archive:
        name = next(name for name in archive.namelist() if name.startswith("images/"))
    said = refusal(with_changed(bundle, bundle.with_name("c.zip"), {name: png_bytes()}))
    assert said.startswith(f"{name}: sha256 is ")


def test_a_picture_that_cannot_be_decoded(bundle: Path) -> None:
    with ZipFile(bundle) as archive:
        name = next(name for name in archive.namelist() if name.startswith("images/"))
    said = refusal(with_changed(bundle, bundle.with_name("c.zip"), {name: b"GIF89a"}))
    assert said.startswith(f"{name}: ")
    assert "GIF" in said


@pytest.mark.parametrize("text", [b'{"pairs": 7}', b'{"disagreements": []}', b'{"pairs": "\\u0000"}'])
def test_a_report_that_is_none(bundle: Path, text: bytes) -> None:
    name = "reports/agreement/report.json"
    said = "it has a text or a number that" if b"u0000" in text else "this is not the result of a report"
    changed = with_changed(bundle, bundle.with_name("c.zip"), {name: text})
    assert refusal(changed).startswith(f"{name}: {said}")


def test_a_project_that_is_not_empty(bundle: Path) -> None:
    target = make_project("full")
    make_image(target)
    make_batch(target)
    with pytest.raises(BundleRefused, match=r"The project full is not empty: it has 1 image, 1 batch\."):
        restore(bundle, target, actor=None, watch=lambda *_: None)
    assert target.images.count() == 1


def test_what_a_killed_worker_left_goes_first(bundle: Path) -> None:
    target = make_project("target")
    left = make_project(f"restoring:{target.pk}:0:0123", name="Being restored")
    make_submitted(make_member(left), image=make_picture(left))
    name = left.images.get().file.name
    restore(bundle, target, actor=None, watch=lambda *_: None)
    assert not Project.objects.filter(slug__startswith="restoring").exists()
    assert not default_storage.exists(str(name))
    assert target.images.count() == 3


def test_somebody_fills_the_project_meanwhile(bundle: Path) -> None:
    target = make_project("target")

    def watch(done: int, total: int) -> None:
        if done > total // 2 and not target.images.exists():
            make_image(target)

    with pytest.raises(BundleRefused, match="The project target is not empty: it has 1 image"):
        restore(bundle, target, actor=None, watch=watch)
    assert (target.images.count(), target.batches.count()) == (1, 0)


def test_the_command_says_what_is_wrong_and_leaves_no_project(bundle: Path) -> None:
    call_command("import_bundle", str(bundle), project="new", name="New")
    assert Project.objects.get(slug="new").name == "New"
    changed = with_row(bundle, ANNOTATIONS, 2, lambda row: row.update(status="done"))
    with pytest.raises(CommandError, match="line 2: “status” is done"):
        call_command("import_bundle", str(changed), project="newer")
    assert not Project.objects.filter(slug="newer").exists()
    with pytest.raises(CommandError, match="The project new is not empty"):
        call_command("import_bundle", str(bundle), project="new")
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("import_bundle", str(bundle.with_name("none.zip")), project="newest")
    with pytest.raises(CommandError, match="use only Latin letters"):
        call_command("import_bundle", str(bundle), project="new project")


def test_what_is_said_of_the_project_is_short(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.bundles.restoring.archive.LARGEST_ABOUT", 20)
    assert "project.json has " in refusal(bundle)


def test_json_of_too_many_values_is_not_built(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.bundles.restoring.archive.MOST_VALUES", 20)
    # A new project reads its empty columns back.
    monkeypatch.setattr("json.loads", lambda text, **_: {} if text == "{}" else pytest.fail("it was built"))
    assert refusal(bundle).startswith("project.json: about ")
