"""Small studies on disk."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from PIL import Image as Picture

from annotator.work.sending import MAKE_DISPLAY
from scoring.grid.taxonomy import CELL_BY_KEY, SHEET_COLUMNS
from tests.support.messages import ids_sent_to


def picture(shade: int, kind: str = "PNG", size: tuple[int, int] = (12, 8)) -> bytes:
    """A picture whose content is its own for each shade (0 to 16 million)."""
    buffer = BytesIO()
    color = (shade >> 16 & 255, shade >> 8 & 255, shade & 255)
    Picture.new("RGB", size, color).save(buffer, kind, **({"lossless": True} if kind == "WEBP" else {}))
    return buffer.getvalue()


def sheet_row(
    image_id: str, annotator: str = "anno1", cells: Mapping[str, str] | None = None, **changed: str
) -> dict[str, str]:
    """A row for GENERATOR_PROMPT_NUMBER; `cells` by key, `changed` by heading."""
    generator, prompt, number = image_id.rsplit("_", 2)
    row = dict.fromkeys(SHEET_COLUMNS, "")
    row |= {"Image Id": image_id, "Model": generator, "Prompt": prompt, "Pic Num.": str(int(number))}
    row["Annotator"] = annotator
    row |= {CELL_BY_KEY[key].heading: text for key, text in (cells or {}).items()}
    return row | changed


def sheet_text(rows: list[dict[str, str]], delimiter: str = ",", end: str = "\n") -> str:
    """The rows as CSV in the published layout."""
    buffer = StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=end)
    writer.writerow(SHEET_COLUMNS)
    writer.writerows([row[heading] for heading in SHEET_COLUMNS] for row in rows)
    return buffer.getvalue()


class StudyFolder:
    """A study under construction."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._shade = 0

    def image(self, name: str, contents: bytes | None = None) -> Path:
        """Put a file below images/, by default a picture like no other."""
        self._shade += 1
        return self.file(f"images/{name}", picture(self._shade) if contents is None else contents)

    def file(self, name: str, contents: bytes | str) -> Path:
        """Put any file into the study."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
        return path

    def sheet(self, *rows: dict[str, str]) -> Path:
        """Write data/annotations.csv."""
        return self.file("data/annotations.csv", sheet_text(list(rows)))


@pytest.fixture
def study(tmp_path: Path) -> StudyFolder:
    """An empty study folder."""
    (tmp_path / "study").mkdir()
    return StudyFolder(tmp_path / "study")


@pytest.fixture
def small_study(study: StudyFolder) -> StudyFolder:
    """Two generators, one prompt, two images each; three rows by two annotators."""
    for generator, start in (("sdXL", "sdXL_hug"), ("stable_cascade", "SC_hug")):
        for number in (1, 2):
            study.image(f"{generator}/couple_hugging/{start}_0{number}.png")
    study.sheet(
        sheet_row("sdxl_couple hugging_01", "anno1", {"missing.limbs": "1/4c", "extra.hands": "1/5"}),
        sheet_row("sdxl_couple hugging_01", "anno2", {"missing.limbs": "1/4b,2/4c"}),
        sheet_row("stablecascade_couple hugging_02", "anno1"),
    )
    return study


@pytest.fixture(autouse=True)
def sent(media: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The images whose copy was asked for, instead of messages."""
    return ids_sent_to(monkeypatch, MAKE_DISPLAY)
