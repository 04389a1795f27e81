"""Determine generator, prompt and number of each file from unambiguous information."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from annotator.exchange.formats.manifest import ManifestEntry
from annotator.exchange.formats.names import last_digits, normal_form, prompt_of_folder, whole_number
from annotator.exchange.formats.report import RejectedFile, RowNote, StudyRefused
from annotator.exchange.formats.sheet import LONGEST_GENERATOR, Place, SheetRow
from annotator.exchange.study_files import StudyFile, file_digest
from scoring.prompts import LONGEST_PROMPT


class Spelling:
    """The spelling of names: the first one added for a normal form."""

    def __init__(self) -> None:
        self._generators: dict[str, str] = {}
        self._prompts: dict[str, str] = {}

    def add(self, generator: str, prompt: str) -> None:
        """Add these spellings unless their normal forms have one."""
        if generator:
            self._generators.setdefault(normal_form(generator), generator)
        if prompt:
            self._prompts.setdefault(normal_form(prompt), prompt)

    def generator(self, name: str) -> str:
        """Return the spelling of a generator."""
        return self._generators.get(normal_form(name), name)

    def prompt(self, name: str) -> str:
        """Return the spelling of a prompt."""
        return self._prompts.get(normal_form(name), name)


@dataclass(frozen=True)
class MatchedFile:
    """What one file shows. `firm`: a manifest or the annotation file gives the number."""

    file: StudyFile
    generator: str
    prompt: str
    number: int | None
    firm: bool = False
    prompt_group: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        """Generator and prompt in their normal forms."""
        return (normal_form(self.generator), normal_form(self.prompt))

    def spelt(self, spelling: Spelling) -> MatchedFile:
        """Return the placement in another spelling."""
        return replace(
            self, generator=spelling.generator(self.generator), prompt=spelling.prompt(self.prompt)
        )


@dataclass(frozen=True)
class Matching:
    """Placements of files, the other files with reasons, and remarks on numbers."""

    placements: tuple[MatchedFile, ...]
    rejected: tuple[RejectedFile, ...]
    notes: tuple[RowNote, ...]


def place_files(
    files: Iterable[StudyFile],
    entries: Mapping[str, ManifestEntry],
    rows: Iterable[SheetRow],
    groups: Mapping[str, str],
) -> Matching:
    """Place each file by its manifest entry, else by folders and name, in the spelling of the rows.

    Raises StudyRefused if the manifest gives two files one number.
    """
    spelling = Spelling()
    annotated: dict[Place, dict[int, int]] = defaultdict(dict)
    for row in rows:
        spelling.add(row.generator, row.prompt)
        if row.number is not None:
            annotated[row.key[:2]].setdefault(row.number, row.number_in_file)
    for entry in entries.values():
        spelling.add(entry.generator, entry.prompt)
    rejected: list[RejectedFile] = []
    strata: dict[Place, list[MatchedFile]] = defaultdict(list)
    for file in files:
        placement = _place(file, entries.get(file.name), groups, spelling)
        if isinstance(placement, MatchedFile):
            strata[placement.place].append(placement)
        else:
            rejected.append(placement)
    notes: list[RowNote] = []
    placements = [
        placement
        for place, stratum in strata.items()
        for placement in _numbered(stratum, annotated.get(place, {}), entries, notes)
    ]
    return Matching(tuple(placements), tuple(rejected), tuple(notes))


def _place(
    file: StudyFile, entry: ManifestEntry | None, groups: Mapping[str, str], spelling: Spelling
) -> MatchedFile | RejectedFile:
    generator, prompt = _folders(file)
    if entry is not None:
        generator, prompt = entry.generator or generator, entry.prompt or prompt
    if not normal_form(generator) or not normal_form(prompt):
        missing = "generator" if not normal_form(generator) else "prompt"
        return RejectedFile(file.shown, f"its {missing} is in neither the folders nor the manifest")
    # Folders that differ only in spelling are one.
    spelling.add(generator, prompt)
    generator, prompt = spelling.generator(generator), spelling.prompt(prompt)
    if len(generator) > LONGEST_GENERATOR or len(prompt) > LONGEST_PROMPT:
        return RejectedFile(file.shown, "the name of its generator or prompt is too long")
    said = entry.number if entry is not None else None
    return MatchedFile(
        file=file,
        generator=generator,
        prompt=prompt,
        number=said if said is not None else whole_number(last_digits(file.stem)),
        firm=said is not None,
        prompt_group=(entry.prompt_group if entry else "") or groups.get(normal_form(prompt), ""),
        attributes=dict(entry.attributes) if entry else {},
    )


def _folders(file: StudyFile) -> tuple[str, str]:
    if len(file.parts) != 3:
        return "", ""
    return file.parts[0], prompt_of_folder(file.parts[1])


def _numbered(
    stratum: list[MatchedFile],
    annotated: Mapping[int, int],
    entries: Mapping[str, ManifestEntry],
    notes: list[RowNote],
) -> list[MatchedFile]:
    """Return the placements of one generator and prompt; only copies of a file share a number."""
    unique = _without_shared_numbers(stratum, annotated, entries, notes)
    odd = [
        index
        for index, placement in enumerate(unique)
        if placement.number is not None and not placement.firm and placement.number not in annotated
    ]
    present = {placement.number for placement in unique}
    wanted = [number for number in annotated if number not in present]
    if len(odd) == 1:
        digits = last_digits(unique[odd[0]].file.stem)
        fitting = [number for number in wanted if digits.endswith(str(number))]
        if len(fitting) == 1:
            unique[odd[0]] = _matched(unique[odd[0]], fitting[0], annotated, notes)
    return unique


def _matched(
    placement: MatchedFile, number: int, annotated: Mapping[int, int], notes: list[RowNote]
) -> MatchedFile:
    digits = last_digits(placement.file.stem)
    reason = (
        f"treated as number {number}: no file of “{placement.generator}”, “{placement.prompt}” "
        f"has that number, and this is the only one whose number ({digits}) no row knows"
    )
    notes.append(RowNote(annotated[number], "Pic Num.", placement.file.parts[-1], reason))
    return replace(placement, number=number, firm=True)


def _without_shared_numbers(
    stratum: list[MatchedFile],
    annotated: Mapping[int, int],
    entries: Mapping[str, ManifestEntry],
    notes: list[RowNote],
) -> list[MatchedFile]:
    by_number: dict[int, list[MatchedFile]] = defaultdict(list)
    for placement in stratum:
        if placement.number is not None:
            by_number[placement.number].append(placement)
    ambiguous: dict[str, RowNote] = {}
    for number, sharing in by_number.items():
        if len(sharing) > 1:
            for placement in _losers(sharing, entries):
                ambiguous[placement.file.name] = _ambiguity(placement, number, sharing, annotated)
    notes.extend(ambiguous.values())
    return [
        replace(placement, number=None) if placement.file.name in ambiguous else placement
        for placement in stratum
    ]


def _losers(sharing: list[MatchedFile], entries: Mapping[str, ManifestEntry]) -> list[MatchedFile]:
    """Return the files that cannot have a shared number; none if they are copies."""
    firm = [placement for placement in sharing if placement.firm]
    if len(firm) > 1:
        first, second = (entries[placement.file.name].row for placement in firm[:2])
        name = f"{firm[0].generator}, {firm[0].prompt}, {firm[0].number}"
        raise StudyRefused(
            f"Rows {first} and {second} of the manifest have the same generator, prompt and number ({name})."
        )
    if len({file_digest(placement.file) for placement in sharing}) == 1:
        return []
    return [placement for placement in sharing if not placement.firm]


def _ambiguity(
    placement: MatchedFile, number: int, sharing: list[MatchedFile], annotated: Mapping[int, int]
) -> RowNote:
    others = ", ".join(other.file.parts[-1] for other in sharing if other is not placement)
    reason = (
        f"number {number} is also that of {others}: imported without a number; use a manifest to number them"
    )
    return RowNote(annotated.get(number), "Pic Num.", placement.file.parts[-1], reason)
