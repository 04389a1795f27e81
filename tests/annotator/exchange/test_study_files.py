"""What lies below images/."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from annotator.exchange.formats.manifest import ManifestEntry
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.study_files import StudyFile, find_files, open_file, study_folder
from annotator.images.decoding import UnreadableImage
from annotator.inputs.plain_text import TURNS
from tests.annotator.exchange.conftest import StudyFolder

OUT = "a link to a file outside the study's folder"


def found(study: StudyFolder, *named: str) -> tuple[list[str], dict[str, str]]:
    entries = {name: ManifestEntry(row, name, "g", "p", row) for row, name in enumerate(named, start=2)}
    kept, rejected, _ = find_files(study.path.resolve(), entries)
    return [file.name for file in kept], {file.file: file.reason for file in rejected}


def test_files_in_order_and_the_rest_with_a_reason(study: StudyFolder) -> None:
    for name in (
        "b/p/2.png",
        "b/p/1.JPG",
        "a/p/x.webp",
        "a/p/x.jpeg",
        "loose.png",
        "a/p/deep/x.png",
        "a/p/notes.txt",
    ):
        study.image(name)
    for name in (".DS_Store", "a/p/._1.png", ".git/a/b.png", "a/p/Thumbs.db", "manifest.csv"):
        study.file(f"images/{name}", "x")
    depth = "not at images/GENERATOR/PROMPT/FILE, and not in a manifest"
    assert found(study) == (
        ["a/p/x.jpeg", "a/p/x.webp", "b/p/1.JPG", "b/p/2.png"],
        {
            "images/loose.png": depth,
            "images/a/p/deep/x.png": depth,
            "images/a/p/notes.txt": "the name ends in “.txt”; .png, .jpg, .jpeg and .webp are read",
        },
    )


def test_no_file_name_turns_the_direction_of_reading(study: StudyFolder) -> None:
    study.image("g/p/\u202egnp.1.png")
    kept, rejected = found(study)
    assert kept == []
    assert list(rejected.values()) == [f"the file name {TURNS}"]


def test_the_manifest_admits_any_depth_and_is_held_to_its_word(study: StudyFolder) -> None:
    study.image("loose.png")
    study.image("g/p/unnamed.png")
    kept, rejected = found(study, "loose.png", "gone.png")
    assert kept == ["loose.png"]
    assert rejected == {
        "images/gone.png": "listed in the manifest, but missing",
        "images/g/p/unnamed.png": "no row of the manifest names it",
    }


def test_the_manifest_names_files_in_any_unicode_form_and_each_once(study: StudyFolder) -> None:
    for name in ("run1/ha\u0308nde/01.png", "run2/waving/02.png", "run3/waving/02.png"):
        study.image(name)
    rows = ("run1/h\u00e4nde/01.PNG", "./run2/waving/02.png", "set/run2/waving/02.png", "waving/02.png")
    kept, rejected = found(study, *rows)
    assert kept == ["run1/ha\u0308nde/01.png", "run2/waving/02.png"]
    assert rejected == {
        "images/set/run2/waving/02.png": "row 4 of the manifest names the file of row 3",
        "images/waving/02.png": "row 5 of the manifest matches 2 files",
        "images/run3/waving/02.png": "no row of the manifest names it",
    }


def test_links(study: StudyFolder, tmp_path: Path) -> None:
    inside = study.image("a/p/1.png")
    (tmp_path / "secret.png").write_bytes(b"x")
    folder = inside.parent
    (folder / "2.png").symlink_to(inside)
    (folder / "3.png").symlink_to(tmp_path / "secret.png")
    (folder / "4.png").symlink_to("gone.png")
    (folder / "5.png").symlink_to("5.png")
    (study.path / "images" / "b").symlink_to(tmp_path)
    kept, rejected = found(study)
    assert kept == ["a/p/1.png", "a/p/2.png"]
    assert rejected == {
        "images/b": "a link to a folder is not followed",
        "images/a/p/3.png": OUT,
        "images/a/p/4.png": "cannot be read: No such file or directory",
        "images/a/p/5.png": "cannot be read: circular links",
    }


def test_images_itself_must_not_lead_out(study: StudyFolder, tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "a" / "p").mkdir(parents=True)
    (tmp_path / "elsewhere" / "a" / "p" / "1.png").write_bytes(b"x")
    (study.path / "images").symlink_to(tmp_path / "elsewhere")
    assert found(study) == ([], {"images/a/p/1.png": OUT})


def test_odd_files(study: StudyFolder) -> None:
    study.image("a/p/1.png")
    folder = os.fsencode(study.path / "images" / "a" / "p")
    os.mkfifo(os.path.join(folder, b"2.png"))
    for name in (b"\xff.png", b"bell\x07.png"):
        with open(os.path.join(folder, name), "wb"):
            pass
    bad = "the file name has characters that cannot be stored"
    assert found(study) == (
        ["a/p/1.png"],
        {
            "images/a/p/2.png": "not a regular file",
            "images/a/p/\\udcff.png": bad,
            "images/a/p/bell\\x07.png": bad,
        },
    )


def test_long_names(study: StudyFolder) -> None:
    study.image(f"{'g' * 200}/{'p' * 200}/1.png")
    assert list(found(study)[1].values()) == ["the file name is longer than 400 characters"]


def test_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "other" / "pictures").mkdir(parents=True)
    expected = {
        "none": "There is no folder {}.",
        "file": "{} is not a folder.",
        "empty": "The folder {} is empty.",
        "other": "{} has no folder “images” (expected images/GENERATOR/PROMPT/FILE).",
    }
    for name, message in expected.items():
        with pytest.raises(StudyRefused) as caught:
            study_folder(tmp_path / name)
        assert str(caught.value) == message.format(tmp_path / name)


def test_no_images(study: StudyFolder) -> None:
    (study.path / "images" / "a").mkdir(parents=True)
    with pytest.raises(StudyRefused) as caught:
        find_files(study.path, {})
    assert str(caught.value) == f"There are no images in {study.path / 'images'}."


def test_a_study_nobody_may_read(study: StudyFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(StudyRefused) as caught:
        study_folder(study.path)
    assert str(caught.value) == f"{study.path} cannot be read: Permission denied."


def test_a_folder_nobody_may_read_is_listed(study: StudyFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    study.image("a/p/1.png")
    closed = study.image("b/p/1.png").parent
    scandir = os.scandir

    def guarded(path: str) -> object:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert found(study) == (["a/p/1.png"], {"images/b/p": "the folder cannot be read: Permission denied"})


def test_a_file_nobody_may_read(study: StudyFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = study.image("a/p/1.png")

    def refuse(self: Path, mode: str) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UnreadableImage) as caught:
        open_file(StudyFile("a/p/1.png", path))
    assert caught.value.reason == "cannot be read: Permission denied"
