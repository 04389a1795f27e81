"""The nastiest file for each reader at 1, 2, 4 and 8 times a size: how the time it takes grows.

Every file is read by the code that workers run, in this process, so that what is measured is the reading and
not the start of a process. The exponent is the slope of a straight line through the logarithms.
"""

from __future__ import annotations

import gc
import math
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import linear_regression
from typing import Any, Final

from benchmarks.hostile import others, workbooks
from tests.annotator.exchange.conftest import sheet_row
from tests.annotator.exchange.formats.zips import Member, archive, unpacked

TIMES: Final = (1, 2, 4, 8)
TURNS: Final = 5
HIGHEST: Final = 1.15
CELL: Final = "1. Missing Error-1.2 Limbs"

Maker = Callable[[int], bytes]
Reader = Callable[[Path], str]


def headings(size: int) -> bytes:
    """One line of headings."""
    return ",".join(f"h{number}" for number in range(size)).encode()


def empty_lines(size: int) -> bytes:
    """Empty lines."""
    return ",".join(sheet_row("sdxl_hug_01")).encode() + b"\n" * size


def returns(size: int) -> bytes:
    """Empty lines that end as on an old Macintosh."""
    return empty_lines(size).replace(b"\n", b"\r")


def short_rows(size: int) -> bytes:
    """Five hundred headings, those of the sheet among them, and rows of one cell."""
    more = [f"h{number}" for number in range(500 - len(sheet_row("a_b_1")))]
    return ",".join([*sheet_row("a_b_1"), *more]).encode() + b"\nx" * size


def commas(size: int) -> bytes:
    """A row of commas only."""
    return ",".join(sheet_row("sdxl_hug_01")).encode() + b"\n" + b"," * size


def quoted(size: int) -> bytes:
    """One quoted cell of quotes."""
    return ",".join(sheet_row("sdxl_hug_01")).encode() + b'\n"' + b'""' * size


def _sheet(rows: list[dict[str, str]]) -> bytes:
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    return "\n".join(",".join(f'"{text}"' for text in line) for line in lines).encode()


def terms(size: int) -> bytes:
    """Rows with cells full of unreadable terms: commas and repeated severities."""
    row = sheet_row("sdxl_hug_01") | {CELL: "1/4b," * 40 + "," * 40}
    return _sheet([row] * size)


def digits(size: int) -> bytes:
    """Ids of almost only digits."""
    return _sheet([sheet_row("sdxl_hug_01") | {"Image Id": "1" * 3_000 + "x"}] * size)


def names(size: int) -> bytes:
    """A different annotator in every row."""
    return _sheet([sheet_row("sdxl_hug_01", f"anno{number}") for number in range(size)])


def _of_marks(size: int) -> str:
    """Combining marks that normalising has to sort."""
    return "a" + "\u0315" * size + "\u0300" * size


def ids_of_marks(size: int) -> bytes:
    """Ids of combining marks, as long as they may be."""
    return _sheet([sheet_row("sdxl_hug_01") | {"Image Id": f"{_of_marks(1_500)}1"}] * size)


def japanese(size: int) -> bytes:
    """An archive with a name of Japanese letters and one other letter."""
    name = ("あ" * size).encode("cp932") + "А".encode("cp932")
    return archive([Member(name + b".png", b"x")])


def many_names(size: int) -> bytes:
    """An archive of empty entries with long names."""
    return archive([Member(f"{number:0200}.png".encode(), b"", method=0) for number in range(size)])


ANSWERS: Final[dict[Maker, tuple[int, str]]] = {
    workbooks.merged_without_end: (250_000, ".xlsx"),
    workbooks.merged_ranges: (10_000, ".xlsx"),
    workbooks.empty_cells: (25_000, ".xlsx"),
    workbooks.one_cell_again: (50_000, ".xlsx"),
    workbooks.empty_rows: (50_000, ".xlsx"),
    workbooks.wide_rows: (900, ".xlsx"),
    workbooks.one_string_shown_often: (300, ".xlsx"),
    workbooks.many_strings: (25_000, ".xlsx"),
    workbooks.tag_without_end: (4_000_000, ".xlsx"),
    workbooks.many_styles: (5_000, ".xlsx"),
    workbooks.nested: (50_000, ".xlsx"),
    workbooks.shared_formulas: (10_000, ".xlsx"),
    headings: (5_000, ".csv"),
    empty_lines: (50_000, ".csv"),
    returns: (50_000, ".csv"),
    short_rows: (900, ".csv"),
    commas: (500_000, ".csv"),
    quoted: (8_000, ".csv"),
    terms: (50, ".csv"),
    digits: (500, ".csv"),
    ids_of_marks: (200, ".csv"),
    names: (1_000, ".csv"),
}
"""Files read as annotations: the base size, taken 1 to 8 times, and the extension."""
ARCHIVES: Final[dict[Maker, int]] = {japanese: 100, many_names: 1_000}


def _of_images(header: str, row: str) -> Maker:
    return lambda size: f"{header}\n{row * size}".encode()


WIDE: Final = ",".join(f"h{number}" for number in range(490))
IMAGES: Final[dict[str, tuple[Maker, int, str]]] = {
    "detections_below_many_headings": (_of_images(f"file,classes,{WIDE}", "a.png,x\n"), 900, ".csv"),
    "detections_of_many_classes": (_of_images("file,classes", f"a.png,{'c;' * 400}\n"), 1_000, ".csv"),
    "metrics": (_of_images("file,metric,score", "a.png,clip,0.5\n"), 50_000, ".csv"),
    "faces": (_of_images("file,x,y,w,h", "a.png,1,1,9,9\n"), 25_000, ".csv"),
}
"""Tables of facts about images, by name: maker, base size and extension."""
GUIDELINES: Final[dict[str, tuple[Maker, int]]] = {
    "guideline_of_empty_cells": (
        lambda size: (f"|{'a|' * size}\n|{'-|' * size}\n" + "|\n" * 50 * size).encode(),
        6,
    ),
    "guideline_of_lists": (lambda size: b"* a\n" * size, 180),
    "guideline_of_emphasis": (lambda size: b"***a**b*" * size, 90),
}
"""Markdown by name: maker and base size; eight times it is as long as a text may be."""


def measured() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each file with its exponent, the seconds at the largest size, and the outcome."""
    for make, (size, ending) in ANSWERS.items():
        yield make.__name__, _grown(make, size, ending)
    for make, size in ARCHIVES.items():
        yield make.__name__, _grown(make, size, ".zip")
    for name, (make, size, ending) in IMAGES.items():
        yield name, _grown(make, size, ending, _read_images)
    yield "invitations", _grown(lambda size: b"p01,a@example.org\n" * size, 5_000, ".txt", _read_invitations)
    for name, (make, size) in GUIDELINES.items():
        yield name, _grown(make, size, ".md", _read_guideline)
    for make, (size, ending, read) in others.READERS.items():
        yield make.__name__, _grown(make, size, ending, read)


def _grown(make: Maker, size: int, ending: str, read: Reader | None = None) -> dict[str, Any]:
    gc.disable()  # as the process that reads does
    seconds = dict.fromkeys(TIMES, math.inf)
    said = ""
    with tempfile.TemporaryDirectory() as folder:
        paths = {times: Path(folder, f"{times}{ending}") for times in TIMES}
        for times, path in paths.items():
            path.write_bytes(make(size * times))
        for _ in range(TURNS):
            for times, path in paths.items():
                begun = time.process_time()
                said = (read or _read)(path)
                seconds[times] = min(seconds[times], time.process_time() - begun)
                gc.collect()
        largest = paths[TIMES[-1]].stat().st_size
    logs = [math.log(max(seconds[times], 1e-4)) for times in TIMES]
    slope = linear_regression([math.log(times) for times in TIMES], logs).slope
    return {
        "exponent": round(slope, 2),
        "seconds": round(seconds[TIMES[-1]], 3),
        "bytes": largest,
        "ended": said,
    }


def _read(path: Path) -> str:
    """Read a file as a worker does, and match it to a project without images; return the outcome."""
    from annotator.exchange.formats.detection import read_annotations
    from annotator.exchange.formats.lint import lint
    from annotator.exchange.formats.report import StudyRefused
    from annotator.exchange.rows import match_rows
    from annotator.exchange.which_image import ImageIndex
    from annotator.models import Project

    try:
        if path.suffix == ".zip":
            return f"{len(unpacked(path)[0]):,} entries"
        sheet = read_annotations(path)
        match_rows(sheet.rows, ImageIndex(Project(pk=0)))
        lint(sheet)
    except StudyRefused as refused:
        return getattr(refused, "code", "") or "refused"
    return f"{len(sheet.rows):,} rows"


def _read_images(path: Path) -> str:
    """Read facts about images as their process does."""
    from annotator.exchange.formats.image_tables import read_image_table
    from annotator.exchange.formats.report import StudyRefused

    columns = ("classes", "metric", "score", "x", "y", "w", "h")
    try:
        return f"{len(read_image_table(path, required=(), optional=columns).records):,} rows"
    except StudyRefused as refused:
        return refused.code or "refused"


def _read_invitations(path: Path) -> str:
    from annotator.people.inviting_many import LinesRefused, read_invite_lines

    try:
        return f"{len(read_invite_lines(path.read_text(encoding='utf-8'))[0]):,} lines"
    except LinesRefused as refused:
        return refused.refusals[0].code


def _read_guideline(path: Path) -> str:
    """Check and draw one text of a guideline."""
    from annotator.guidelines.content import Content, GuidelineRefused, checked
    from annotator.guidelines.drafts import guide_of
    from annotator.guidelines.reading import to_html

    guide, text = guide_of("anatomy"), path.read_text(encoding="utf-8")
    try:
        checked(Content({guide.blocks[0].key: text}), guide)
    except GuidelineRefused as refused:
        return refused.code
    to_html.cache_clear()
    return f"{len(to_html(text)):,} letters"
