"""The record of a norming session as files: minutes in Markdown, values as CSV."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from annotator.database.transactions import write_transaction
from annotator.models import Annotation, NormedImage, NormingComment, NormingSession, User
from annotator.norming import sessions
from annotator.norming.grids import NormingCell, NormingGrid, grid_of
from scoring.formula_guard import guarded
from scoring.service import get_protocol

COLUMNS: Final = (
    "place",
    "file",
    "sha256",
    "cell",
    "annotator",
    "value",
    "agreed",
    "guideline_says",
    "should_say",
    "causes",
)
_NOTHING: Final = "–"
# What would end a cell of a table, or begin formatting or HTML.
_ESCAPED: Final = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>|#~"})


def values_csv(session: NormingSession) -> str:
    """Return one row per image, marked cell and annotator; raises NormingRefused before they are revealed.

    A cell counts as marked if an annotator or the agreed value marks it, or if it has a note.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for normed, grid, _ in _grids(session):
        for cell in grid.cells:
            if not (cell.marked or cell.agreed or cell.says or cell.should_say):
                continue
            values = {code: said.text for said in cell.said for code in said.codes}
            agreed = "" if cell.agreed is None else cell.agreed or _NOTHING
            more = [agreed, cell.says, cell.should_say, " ".join(cell.causes)]
            for code in grid.codes:
                facts = [str(normed.place), normed.image.source_name, normed.image.sha256, cell.key, code]
                writer.writerow([guarded(text) for text in (*facts, values[code] or _NOTHING, *more)])
    return buffer.getvalue()


def minutes(session: NormingSession) -> str:
    """Return the minutes in Markdown; raises NormingRefused before the answers are revealed."""
    people = sessions.participants_of(session)
    lines = [
        f"# {_safe(session.batch.name)}",
        "",
        f"- Protocol: {_safe(get_protocol(session.batch.protocol).title)}",
        f"- Participants: {', '.join(_safe(person.member.code) for person in people)}",
        f"- Images: {session.images.count()}, {session.get_picked_display().lower()}"
        + (f" (seed {session.seed})" if session.seed is not None else ""),
        f"- Started {_day(session.made_at)}, revealed {_day(session.revealed_at)}, "
        f"closed {_day(session.closed_at)}",
    ]
    if session.follows is not None:
        lines.append(f"- Second round of “{_safe(session.follows.batch.name)}”")
    gaps: list[str] = []
    for normed, grid, comments in _grids(session):
        lines += _image(normed, grid, comments)
        gaps += [
            f"| {normed.place} | {cell.title} | {_safe(cell.says)} | {_safe(cell.should_say)} |"
            for cell in grid.cells
            if cell.says or cell.should_say
        ]
    if gaps:
        lines += ["", "## For the guideline", "", "| Image | Cell | Guideline says | Should say |"]
        lines += ["|---|---|---|---|", *gaps]
    return "\n".join(lines) + "\n"


def record_download(session: NormingSession, what: str, actor: User) -> None:
    """Record an Event: who downloaded the `minutes` or `values`."""
    with write_transaction():
        sessions.record(session, sessions.TAKEN_OUT, actor, {"what": what})


def _grids(session: NormingSession) -> Iterator[tuple[NormedImage, NormingGrid, list[NormingComment]]]:
    if not session.is_revealed:
        raise sessions.NormingRefused(
            "The annotations are not revealed, so there is nothing to export.", "answering"
        )
    answers: dict[int, list[Annotation]] = defaultdict(list)
    for answer in sessions.answers_of(session):
        answers[answer.assignment.image_id].append(answer)
    comments: dict[int, list[NormingComment]] = defaultdict(list)
    for said in NormingComment.objects.filter(normed__session=session).select_related("author"):
        comments[said.normed_id].append(said)
    for normed in session.images.select_related("image", "decided_by").filter(image__goes_at=None):
        grid = grid_of(normed, session.batch.protocol, answers[normed.image_id])
        yield normed, grid, comments[normed.pk]


def _image(normed: NormedImage, grid: NormingGrid, comments: list[NormingComment]) -> list[str]:
    lines = ["", f"## Image {normed.place}: {_safe(normed.image.source_name)}", ""]
    codes = " | ".join(map(_safe, grid.codes))
    shown = [cell for cell in grid.cells if cell.marked or cell.agreed]
    if shown:
        lines += [f"| Cell | {codes} | Agreed | Causes |", "|---" * (len(grid.codes) + 3) + "|"]
        lines += [_row(cell, grid) for cell in shown]
    else:
        lines.append("Nobody marked an error." if grid.codes else "Nobody submitted an annotation.")
    if normed.agreed is None:
        lines += ["", "No agreed value."]
    elif normed.decided_by is not None:
        lines += ["", f"Agreed value recorded by {_safe(normed.decided_by.code)}, {_day(normed.decided_at)}."]
    if comments:
        lines += ["", "Comments:", ""]
        titles = grid.form.titles
        for comment in comments:
            about = f", {titles[comment.component]}" if comment.component in titles else ""
            text = _safe(comment.text).replace("\n", " ")
            lines.append(f"- {_safe(comment.author.code)}{about} ({_day(comment.created_at)}): {text}")
    return lines


def _row(cell: NormingCell, grid: NormingGrid) -> str:
    values = {code: said.text for said in cell.said for code in said.codes}
    given = " | ".join(_safe(values[code]) or _NOTHING for code in grid.codes)
    agreed = "" if cell.agreed is None else _safe(cell.agreed) or _NOTHING
    return f"| {cell.title} | {given} | {agreed} | {cell.cause_titles} |"


def _safe(text: str) -> str:
    return text.translate(_ESCAPED)


def _day(moment: datetime | None) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if moment else "not yet"
