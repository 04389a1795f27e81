"""What a lead corrects before anything is stored."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotator.models import Event, Image, Project, Upload
from annotator.uploads.editing import EditRefused, edit_file, edit_folder, preview_names, set_pattern
from annotator.uploads.names.naming import Named, PatternRefused
from annotator.uploads.refusals import UploadRefused
from annotator.uploads.upload_jobs import request_reading
from annotator.work.jobs import run_job
from tests.annotator.uploads.bringing import bring, named, picture, read, row, states, store
from tests.factories import make_image
from tests.support.codes import refused

pytestmark = pytest.mark.django_db


def brought(project: Project, *names: str) -> Upload:
    upload = bring(project, {name: picture(shade) for shade, name in enumerate(names)})
    assert read(upload).status == "done"
    return upload


def repatterned(upload: Upload, pattern: str, **options: Any) -> None:
    run_job(set_pattern(upload=upload, pattern=pattern, actor=None, **options).pk)
    upload.refresh_from_db()


def test_another_pattern(project: Project) -> None:
    upload = brought(project, "a/b/1.png", "a/b/2.png", "c/b/1.png")
    repatterned(upload, "{prompt}/{generator}/{number}")
    assert upload.status == "ready"
    assert [named(upload, name)[:2] for name in states(upload)] == [("b", "a"), ("b", "a"), ("b", "c")]
    assert set(states(upload).values()) == {"ready"}
    event = Event.objects.get(verb="upload_pattern_set")
    assert (event.data["old"]["pattern"], event.data["new"]["pattern"]) == (
        "{generator}/{prompt}/{number}",
        "{prompt}/{generator}/{number}",
    )
    repatterned(upload, "{prompt}_{number}")
    assert set(states(upload).values()) == {"unclear"}
    assert named(upload, "a/b/1.png") == ("", "", "", None)
    repatterned(upload, "")
    assert set(states(upload).values()) == {"unclear"}


def test_a_pattern_that_cannot_be_used_changes_nothing(project: Project) -> None:
    upload = brought(project, "a/b/1.png")
    for bad in ("{prompt", "x"):
        with pytest.raises(PatternRefused):
            set_pattern(upload=upload, pattern=bad, actor=None)
    upload.refresh_from_db()
    assert (upload.pattern, upload.status) == ("{generator}/{prompt}/{number}", "ready")


def test_defaults_say_what_names_do_not(project: Project) -> None:
    upload = brought(project, "hug/1.png", "hug/2.png", "sit/1.png")
    assert (upload.pattern, set(states(upload).values())) == ("{prompt}/{number}", {"unclear"})
    assert row(upload, "hug/1.png").problem == (
        "The generator of “hug/1.png” is missing: change the pattern, or fill in this row."
    )
    repatterned(upload, upload.pattern, defaults={"generator": " SDXL ", "prompt_group": "pair"})
    assert set(states(upload).values()) == {"ready"}
    assert named(upload, "sit/1.png") == ("SDXL", "sit", "pair", 1)


def test_a_preview_stores_nothing(project: Project) -> None:
    upload = brought(project, "a/b/1.png", "a/b/x.png", "a/b/3.png", "a/b/4.png")
    files = list(upload.files.order_by("pk")[:2])
    seen = preview_names(upload, "{prompt}/{*}/{number}", files, defaults={"generator": "g"})
    assert [(one.file, one.named, bool(one.problem)) for one in seen] == [
        (files[0], Named("g", "a", "", 1), False),
        (files[1], Named("g", "", "", None), True),
    ]
    assert named(upload, "a/b/1.png") == ("a", "b", "", 1)
    with pytest.raises(PatternRefused):
        preview_names(upload, "{prompt", files)


def test_one_row(project: Project) -> None:
    upload = brought(project, "a/b/1.png", "a/b/2.png", "cover.png")
    cover = edit_file(file=row(upload, "cover.png"), actor=None, generator="A", prompt="new one", number=5)
    assert (cover.state, cover.problem) == ("ready", "")
    # Spelt as the others are; what was said stays, whatever the pattern.
    assert named(upload, "cover.png") == ("a", "new one", "", 5)
    repatterned(upload, "{prompt}/{generator}/{number}")
    assert named(upload, "cover.png")[1:] == ("new one", "", 5)
    store(upload)
    assert Image.objects.get(prompt="new one").attributes == {}
    event = Event.objects.get(verb="upload_edited")
    assert event.data["file"] == "cover.png"
    assert event.data["new"] == {"generator": "A", "prompt": "new one", "number": 5}


def test_an_edit_settles_those_it_touches(project: Project) -> None:
    upload = brought(project, "a/b/1.png", "x/a/b/1.png", "a/b/2.png")
    assert states(upload) == {"a/b/1.png": "unclear", "x/a/b/1.png": "unclear", "a/b/2.png": "ready"}
    edit_file(file=row(upload, "x/a/b/1.png"), actor=None, number=3)
    assert set(states(upload).values()) == {"ready"}
    # Who says a number has it before those whose names only look like it.
    edit_file(file=row(upload, "x/a/b/1.png"), actor=None, number=2)
    assert states(upload) == {"a/b/1.png": "ready", "x/a/b/1.png": "ready", "a/b/2.png": "unclear"}
    edit_file(file=row(upload, "a/b/2.png"), actor=None, number=None)
    assert set(states(upload).values()) == {"ready"}
    assert named(upload, "a/b/2.png") == ("a", "b", "", None)


def test_who_edits_is_still_at_it(project: Project) -> None:
    """An upload that nobody touches for a week is discarded."""
    upload = brought(project, "a/b/1.png")
    long_ago = timezone.now() - timedelta(days=6)
    Upload.objects.filter(pk=upload.pk).update(touched_at=long_ago)
    edit_file(file=row(upload, "a/b/1.png"), actor=None, number=3)
    upload.refresh_from_db()
    assert upload.touched_at > long_ago + timedelta(days=5)


def test_the_place_of_a_stored_picture(project: Project) -> None:
    make_image(project, generator="a", prompt="b", number=9)
    upload = brought(project, "a/b/1.png")
    edited = edit_file(file=row(upload, "a/b/1.png"), actor=None, number=9)
    assert edited.state == "unclear"
    assert "has the number of another image in the project, a · b · 9" in edited.problem


def test_a_copy_is_kept_that_is_understood(project: Project) -> None:
    upload = bring(project, {"x.png": picture(1), "a/b/1.png": picture(1), "a/b/2.png": picture(2)})
    read(upload)
    assert states(upload) == {"x.png": "duplicate", "a/b/1.png": "ready", "a/b/2.png": "ready"}
    repatterned(upload, "{prompt}")
    assert states(upload)["x.png"] == "unclear"
    assert states(upload)["a/b/1.png"] == "duplicate"
    repatterned(upload, "{generator}/{prompt}/{number}")
    assert states(upload) == {"x.png": "duplicate", "a/b/1.png": "ready", "a/b/2.png": "ready"}


def test_all_in_a_folder(project: Project) -> None:
    upload = brought(project, "in/1.png", "in/2.png", "inside/3.png")
    assert edit_folder(upload=upload, folder="in", actor=None, generator="g", prompt="p") == 2
    assert states(upload) == {"in/1.png": "ready", "in/2.png": "ready", "inside/3.png": "unclear"}
    assert edit_folder(upload=upload, folder="", actor=None, generator="g") == 3
    # A folder's own spelling is the lead's to choose.
    edit_folder(upload=upload, folder="in", actor=None, generator="G")
    assert (named(upload, "in/1.png")[0], named(upload, "inside/3.png")[0]) == ("g", "g")
    edit_folder(upload=upload, folder="", actor=None, generator="G")
    assert named(upload, "inside/3.png")[0] == "G"
    with refused(UploadRefused, "stored"):
        edit_folder(upload=upload, folder="absent", actor=None, generator="g")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"generator": "x" * 121}, "generator"),
        ({"prompt": "x" * 3001}, "prompt"),
        ({"prompt_group": "x" * 81}, "prompt_group"),
        ({"generator": "--"}, "generator"),
        ({"number": -1}, "number"),
        ({"number": 2**31}, "number"),
    ],
)
@pytest.mark.few(2)
def test_what_cannot_be_said(project: Project, fields: dict[str, Any], field: str) -> None:
    upload = brought(project, "a/b/1.png")
    with pytest.raises(EditRefused) as caught:
        edit_file(file=row(upload, "a/b/1.png"), actor=None, **fields)
    assert caught.value.field == field
    assert named(upload, "a/b/1.png") == ("a", "b", "", 1)


def test_what_is_refused_or_stored_or_at_work_is_not_edited(project: Project) -> None:
    upload = bring(project, {"a/b/1.png": picture(1), "a/b/2.png": b"x"})
    read(upload)
    with pytest.raises(UploadRefused, match="No file can be edited"):
        edit_file(file=row(upload, "a/b/2.png"), actor=None, number=1)
    request_reading(upload=upload, actor=None, send=False)
    with refused(UploadRefused, "busy"):
        edit_file(file=row(upload, "a/b/1.png"), actor=None, number=7)
    with refused(UploadRefused, "busy"):
        set_pattern(upload=upload, pattern="{prompt}", actor=None)
