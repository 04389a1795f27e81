"""What a worker makes of files: exact states, exact words."""

from __future__ import annotations

import os
import signal
from io import BytesIO
from typing import Any

import pytest
from PIL import Image as Picture
from PIL.PngImagePlugin import PngInfo
from pytest_django.fixtures import Settings

from annotator.images import decoding_process, drawing
from annotator.images.decoding import UnreadableImage
from annotator.models import Event, Image, Project
from annotator.uploads.receiving import UploadRefused
from annotator.uploads.upload_jobs import doubt_of, request_storing
from tests.annotator.exchange.formats.zips import Member, archive
from tests.annotator.uploads.bringing import (
    brought,
    encoded,
    give,
    named,
    picture,
    read,
    row,
    states,
    store,
    zipped,
)
from tests.factories import make_image, make_project
from tests.support.codes import refused

pytestmark = pytest.mark.django_db


def noise(size: tuple[int, int] = (64, 64)) -> Picture.Image:
    return Picture.effect_noise(size, 80).convert("RGB")


def bomb() -> bytes:
    """13,000 × 13,000 pixels in 160 KB."""
    return encoded(Picture.new("L", (13_000, 13_000)))


@pytest.mark.thorough
@pytest.mark.usefixtures("apart")
def test_a_picture_that_takes_too_much_memory_is_that_file_s_problem(
    project: Project, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.MAX_IMAGE_PIXELS = 400_000_000
    whole = decoding_process.Decoder

    def small(*, max_pixels: int, **more: Any) -> decoding_process.Decoder:
        return whole(max_pixels=max_pixels, memory=150_000_000)

    monkeypatch.setattr(drawing, "Decoder", small)
    monkeypatch.setattr(drawing, "_IDLE", {})
    upload = brought(project, {"g/p/1.png": picture(1), "g/p/2.png": bomb(), "g/p/3.png": picture(3)})
    assert states(upload) == {"g/p/1.png": "ready", "g/p/2.png": "refused", "g/p/3.png": "ready"}
    words = "“g/p/2.png”: decoding it takes more memory than allowed."
    assert row(upload, "g/p/2.png").problem == words


@pytest.mark.usefixtures("apart")
def test_a_killed_decoder_is_that_file_s_problem(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    real = decoding_process._send

    def murder(process: Any, connection: Any, wanted: Any, contents: bytes) -> None:
        if contents == fatal:
            process.kill()
            process.wait()
        real(process, connection, wanted, contents)

    fatal = picture(7)
    monkeypatch.setattr(decoding_process, "_send", murder)
    files = {f"g/p/{number}.png": picture(number) for number in range(1, 7)}
    upload = brought(project, {**files, "g/p/7.png": fatal, "g/p/8.png": picture(8)})
    assert states(upload) == {**dict.fromkeys(files, "ready"), "g/p/7.png": "refused", "g/p/8.png": "ready"}
    words = "decoding it ended the process (SIGKILL), often for lack of memory."
    assert row(upload, "g/p/7.png").problem == f"“g/p/7.png”: {words}"


def test_a_decoder_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    real = decoding_process._send

    def halt(process: Any, connection: Any, wanted: Any, contents: bytes) -> None:
        os.kill(process.pid, signal.SIGSTOP)
        real(process, connection, wanted, contents)

    with decoding_process.Decoder(max_pixels=1000) as decoder:
        decoder.decode(picture(1))
        with monkeypatch.context() as changed:
            changed.setattr(decoder, "_seconds", 0.3)
            changed.setattr(decoding_process, "_send", halt)
            with pytest.raises(UnreadableImage, match=r"it took longer than 0.3 seconds"):
                decoder.decode(picture(2))
        assert decoder.decode(picture(3)).width == 12


def test_the_decoding_process_knows_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://someone:secret@somewhere/")
    with decoding_process.Decoder(max_pixels=1000) as decoder:
        decoder.decode(picture(1))
        with open(f"/proc/{decoder.pid}/environ", "rb") as environment:
            assert b"secret" not in environment.read()


def test_what_lies_around_pictures(project: Project) -> None:
    files = {
        "g/p/1.png": picture(1),
        "g/p/Thumbs.db": b"x",
        "__MACOSX/g/p/._1.png": b"x",
        "g/.DS_Store": b"x",
        "README.md": b"x",
        "data.csv": b"a,b\n1,2\n",
    }
    for given in (files, {"all.zip": zipped(files)}):
        upload = brought(make_project(), given)
        found = {name: state for name, state in states(upload).items() if name != "all.zip"}
        assert found == {name: "ready" if name == "g/p/1.png" else "ignored" for name in files}
        assert row(upload, "README.md").problem == "Not an image, by its file extension."
        assert row(upload, "data.csv").problem.startswith("Not a manifest: data.csv lacks the columns")


def test_archives_that_are_none_and_archives_in_archives(project: Project) -> None:
    inner = zipped({"g/p/1.png": picture(1)})
    upload = brought(
        project, {"broken.zip": inner[:-30], "nested.zip": zipped({"in.zip": inner}), "other-name": inner}
    )
    assert states(upload) == {
        "broken.zip": "refused",
        "nested.zip": "archive",
        "other-name": "archive",
        "in.zip": "refused",
        "g/p/1.png": "ready",
    }
    assert row(upload, "in.zip").problem == (
        "“in.zip”: it is an archive inside an archive; unpack it and upload its files."
    )
    assert row(upload, "broken.zip").problem.startswith("“broken.zip”: ")


def test_names_that_say_no_generator_are_asked_about(project: Project) -> None:
    """Six files of one program are never six generators."""
    names = [f"ComfyUI_{number:05}_.png" for number in range(1, 7)]
    upload = brought(project, {name: picture(place) for place, name in enumerate(names)})
    assert (upload.pattern, set(states(upload).values())) == ("", {"unclear"})
    assert row(upload, names[0]).problem == (
        f"The generator of “{names[0]}” is missing: "
        "give one for all files, change the pattern, or add a manifest."
    )
    give(upload, generator="SDXL", prompt="a hand")
    assert (upload.pattern, set(states(upload).values())) == ("{*}{number}{*}", {"ready"})
    assert named(upload, names[5]) == ("SDXL", "a hand", "", 6)
    event = Event.objects.get(verb="upload_pattern_set")
    assert event.data["new"] == {"pattern": "", "defaults": {"generator": "SDXL", "prompt": "a hand"}}


def test_a_generator_for_each_image_is_confirmed(project: Project) -> None:
    upload = brought(project, {f"{name}/a hand/1.png": picture(place) for place, name in enumerate("abc")})
    give(upload, "{generator}/{prompt}/{number}")
    with refused(UploadRefused, "doubtful"):
        request_storing(upload=upload, actor=None, send=False)
    assert doubt_of(upload) == "The names give as many generators as images: 3."
    assert store(upload).status == "done"


def test_a_picture_that_is_too_small_to_judge(project: Project, settings: Settings) -> None:
    settings.MIN_IMAGE_SIDE = 64
    tiny = encoded(Picture.new("RGB", (1, 1)))
    files = {"g/p/1.png": tiny, "g/p/2.png": encoded(noise((64, 63))), "g/p/3.png": encoded(noise((64, 64)))}
    upload = brought(project, files)
    assert states(upload) == {"g/p/1.png": "refused", "g/p/2.png": "refused", "g/p/3.png": "ready"}
    assert row(upload, "g/p/1.png").problem == (
        "“g/p/1.png”: 1 × 1 pixels are too few to judge; each side needs 64 or more: use the original."
    )


def test_an_archive_in_an_old_code_page_is_asked_about(project: Project) -> None:
    raw = [f"g/手_{number}.png".encode("cp932") for number in (1, 2)]
    contents = archive([Member(name, picture(place)) for place, name in enumerate(raw)])
    upload = brought(project, {"old.zip": contents})
    assert states(upload) == {"old.zip": "unclear"}
    assert ["cp932", "g/手_1.png"] in [list(pair) for pair in row(upload, "old.zip").attributes["asked"]]
    assert read(upload, encoding="cp932").status == "done"
    give(upload, "{generator}/{prompt}_{number}")
    assert states(upload) == {"old.zip": "archive", "g/手_1.png": "ready", "g/手_2.png": "ready"}
    store(upload)
    assert set(project.images.values_list("prompt", flat=True)) == {"手"}


def test_two_spellings_are_one_name_and_contest_one_place(project: Project) -> None:
    files = {f"sd xl/old couple/{number}.png": picture(number) for number in range(2, 20)}
    rivals = {"SDXL/old_couple/1.png": picture(1), "sdxl/Old couple/1.png": picture(0)}
    upload = brought(project, {**rivals, **files})
    assert states(upload) == {**dict.fromkeys(rivals, "unclear"), **dict.fromkeys(files, "ready")}
    assert row(upload, "SDXL/old_couple/1.png").problem == (
        "“SDXL/old_couple/1.png” and “sdxl/Old couple/1.png” share the number SDXL · old couple · 1: "
        "change the pattern, or number the files in a manifest."
    )
    assert named(upload, "sd xl/old couple/2.png") == ("SDXL", "old couple", "", 2)


def test_the_project_s_spelling_and_groups_come_first(project: Project) -> None:
    make_image(project, generator="SDXL", prompt="Old Couple", prompt_group="own", number=1)
    upload = brought(project, {"sdxl/old_couple/1.png": picture(1), "sdxl/old_couple/2.png": picture(2)})
    assert named(upload, "sdxl/old_couple/2.png") == ("SDXL", "Old Couple", "own", 2)
    assert states(upload) == {"sdxl/old_couple/1.png": "unclear", "sdxl/old_couple/2.png": "ready"}
    assert row(upload, "sdxl/old_couple/1.png").problem.startswith(
        "“sdxl/old_couple/1.png” has the number of another image in the project, SDXL · Old Couple · 1 ("
    )


def test_copies_are_shown_and_not_stored_twice(project: Project) -> None:
    first = brought(project, {"g/p/1.png": picture(1)})
    store(first)
    copies = {"x.png": picture(2), "g/p/1.png": picture(1), "g/p/2.png": picture(2), "g/p/3.png": picture(2)}
    upload = brought(project, copies)
    give(upload, "{generator}/{prompt}/{number}")
    assert states(upload) == {name: "ready" if name == "g/p/2.png" else "duplicate" for name in copies}
    assert row(upload, "x.png").problem == "The same image as “g/p/2.png”; only that one is stored."
    assert row(upload, "g/p/1.png").problem == (
        "The same image is already in the project as g · p · 1 (“g/p/1.png”)."
    )
    store(upload)
    assert (upload.status, Image.objects.count()) == ("stored", 2)


def test_equal_pixels_with_other_metadata_are_named_as_duplicates(project: Project) -> None:
    told = PngInfo()
    told.add_text("parameters", "seed 7")
    same = encoded(Picture.open(BytesIO(picture(1))), pnginfo=told)
    upload = brought(project, {"a/hug/1.png": picture(1), "b/hug/2.png": same, "b/hug/3.png": picture(2)})
    second = row(upload, "b/hug/2.png")
    assert (second.state, second.problem) == (
        "duplicate",
        "The same picture, with other metadata, as “a/hug/1.png”; only that one is stored.",
    )
    store(upload)
    again = brought(project, {"c/hug/2.png": same})
    assert again.files.get().problem.startswith(
        "The same picture, with other metadata, is already in the project as a · hug · 1"
    )
