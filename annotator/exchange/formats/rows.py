"""Match rows to images, and reject rows that contradict others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from annotator.exchange.formats.image_paths import KnownImage, PathIndex
from annotator.exchange.formats.names import normal_form, parted_number
from annotator.exchange.formats.report import RowNote
from annotator.exchange.formats.sheet import ImageKey, SheetRow
from annotator.models import Project

_LISTED: Final = 8


class ImageIndex:
    """The images of a project by the identifying columns of rows."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._ids: dict[ImageKey, int] = {}
        self._by_name: dict[tuple[str, int], ImageKey] = {}
        self._generators: set[str] = set()
        self._prompts: set[str] = set()
        columns = project.images.order_by().values_list("pk", "generator", "prompt", "number")
        for pk, generator, prompt, number in columns.iterator():
            first, second = normal_form(generator), normal_form(prompt)
            self._generators.add(first)
            self._prompts.add(second)
            if number is not None:
                self._ids[(first, second, number)] = pk
                self._by_name[(first + second, number)] = (first, second, number)

    @cached_property
    def _paths(self) -> PathIndex:
        return PathIndex(self._project)

    def knows(self, row: SheetRow) -> bool:
        """Return whether the row matches one or more images of the project."""
        return self._paths.has_name(row.picture) if row.picture else row.key in self._ids

    def image_of(self, row: SheetRow) -> MatchedRow | RowNote:
        """Return the row with its image, or the reason why it has none."""
        if row.picture:
            image = self._paths.image_of(row)
            if not isinstance(image, KnownImage):
                return image
            named = replace(row, generator=image.generator, prompt=image.prompt, number=image.number or 0)
            return MatchedRow(named, image.pk)
        if self._contradicts(row):
            return refusal(row, "Image Id", "Image Id and Model, Prompt, Pic Num. name different images")
        image_id = self._ids.get(row.key)
        return MatchedRow(row, image_id) if image_id else refusal(row, *self._why_unknown(row))

    def _contradicts(self, row: SheetRow) -> bool:
        """Return whether the row's Image Id names another image than its columns."""
        name, number = parted_number(row.image_id)
        if number is None:
            return False
        return self._by_name.get((normal_form(name), number), row.key) != row.key

    def _why_unknown(self, row: SheetRow) -> tuple[str, str]:
        """Return the column without a match, and the reason."""
        if row.key[0] not in self._generators:
            return "Model", f"there is no image of generator “{row.generator}”"
        if row.key[1] not in self._prompts:
            return "Prompt", f"there is no image of prompt “{row.prompt}”"
        return "Pic Num.", f"there is no image {row.number} of “{row.generator}”, “{row.prompt}”"


@dataclass(frozen=True)
class MatchedRow:
    """A row and its image."""

    row: SheetRow
    image_id: int


def match_rows(rows: Iterable[SheetRow], index: ImageIndex) -> tuple[list[MatchedRow], list[RowNote]]:
    """Return the rows to import in file order, and the others with reasons."""
    matched: list[MatchedRow] = []
    refused: list[RowNote] = []
    by_answer: dict[tuple[str, int], list[SheetRow]] = defaultdict(list)
    for row in rows:
        found = index.image_of(row)
        if isinstance(found, MatchedRow):
            by_answer[row.annotator, found.image_id].append(found.row)
        else:
            refused.append(found)
    for (_, image_id), answers in by_answer.items():
        kept, notes = _one_answer(answers)
        refused += notes
        if kept is not None:
            matched.append(MatchedRow(kept, image_id))
    matched.sort(key=lambda match: match.row.number_in_file)
    return matched, refused


def same_annotation(first: SheetRow, second: SheetRow) -> bool:
    """Return whether two rows have equal cells, ignoring spacing and order of terms."""
    same = first.terms == second.terms and first.payload == second.payload
    return same and problem_texts(first) == problem_texts(second)


def problem_texts(row: SheetRow) -> Mapping[str, list[str]]:
    """Return the unreadable terms by heading."""
    texts: dict[str, list[str]] = defaultdict(list)
    for problem in row.problems:
        texts[problem.column].append(problem.text)
    return texts


def refusal(row: SheetRow, column: str, reason: str) -> RowNote:
    """Return a note on a row as a whole."""
    return RowNote(row.number_in_file, column, row.image_id, reason)


def _one_answer(answers: list[SheetRow]) -> tuple[SheetRow | None, list[RowNote]]:
    """Return the row that all rows of one annotator and image agree on; None if they differ."""
    first, *others = answers
    if all(same_annotation(first, other) for other in others):
        reason = f"a duplicate of row {first.number_in_file}"
        return first, [refusal(other, "Annotator", reason) for other in others]
    listed = ", ".join(str(row.number_in_file) for row in answers[:_LISTED])
    listed += f" and {len(answers) - _LISTED:,} more" if len(answers) > _LISTED else ""
    reason = f"“{first.annotator}” has contradictory rows for this image ({listed}): keep one of them"
    return None, [refusal(row, "Annotator", reason) for row in answers]
