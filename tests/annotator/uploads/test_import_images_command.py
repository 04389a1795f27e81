"""Images out of a folder and an archive, by command."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotator.models import Event, Image, Job, Project, Upload
from tests.annotator.uploads.bringing import picture

pytestmark = pytest.mark.django_db
GENERATORS, PROMPTS = ("SDXL", "dall-e3"), ("couple_hugging", "zebra_riders")
NAMES = [f"{generator}/{prompt}/{n}.png" for generator in GENERATORS for prompt in PROMPTS for n in (1, 2)]
FILES = {name: picture(shade) for shade, name in enumerate(NAMES)}
WANTED = sorted(
    (generator, prompt.replace("_", " "), "", number)
    for generator in GENERATORS
    for prompt in PROMPTS
    for number in (1, 2)
)


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for name, contents in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
    return folder


def imported(source: object, *options: str, project: str = "target") -> dict[str, Any]:
    output = StringIO()
    call_command("import_images", str(source), "--project", project, *options, stdout=output)
    outcome: dict[str, Any] = json.loads(output.getvalue())
    return outcome


def test_from_a_folder(tmp_path: Path) -> None:
    outcome = imported(written(tmp_path / "in", FILES))
    assert outcome["pattern"] == "{generator}/{prompt}/{*}{number}"
    assert outcome["files"] == {"stored": 8}
    rows = Image.objects.filter(project__slug="target")
    assert sorted(rows.values_list("generator", "prompt", "prompt_group", "number")) == WANTED
    (event,) = Event.objects.all()
    assert (event.verb, event.data["files"]["stored"]) == ("upload_stored", 8)
    assert sorted(Image.objects.values_list("source_name", flat=True)) == sorted(NAMES)
    assert all(image.file.read() == FILES[image.source_name] for image in Image.objects.all())


def test_a_dry_run_stores_nothing(tmp_path: Path) -> None:
    folder = written(
        tmp_path / "in", {**FILES, "odd.png": picture(77), "half.jpg": picture(78, "JPEG")[:200]}
    )
    outcome = imported(folder, "--dry-run")
    assert outcome["files"] == {"ready": 8, "unclear": 1, "refused": 1}
    assert [(one["file"], one["state"]) for one in outcome["problems"]] == [
        ("half.jpg", "refused"),
        ("odd.png", "unclear"),
    ]
    assert outcome["examples"][0] == {
        "file": "SDXL/couple_hugging/1.png",
        "generator": "SDXL",
        "prompt": "couple hugging",
        "prompt_group": "",
        "number": 1,
    }
    assert [model.objects.count() for model in (Project, Upload, Job, Event, Image)] == [0] * 5


def test_links_that_lead_out_of_the_folder_are_left_alone(tmp_path: Path) -> None:
    folder = written(tmp_path / "in", FILES)
    secret = tmp_path / "secret.png"
    secret.write_bytes(picture(50))
    (folder / "SDXL" / "zebra_riders" / "9.png").symlink_to(secret)
    (folder / "SDXL" / ".hidden.png").write_bytes(picture(51))
    assert imported(folder)["files"] == {"stored": 8}
