"""Planting known errors into scenes, and the truth that follows: people, counts and terms per cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from scoring.grid.notation import Term
from scoring.grid.taxonomy import CELL_BY_KEY, CELLS, SEVERITIES
from tools.painter.chance import Chance
from tools.painter.defects import DEFECTS, Defect, spot_of
from tools.painter.figures import Figure
from tools.painter.scenes import Generator, Scene

WHOLE_BODY: Mapping[str, int] = {"torso": 1, "limbs": 4, "feet": 2, "hands": 2, "face": 1}
MOST_PER_PERSON = 3
Place = tuple[int, str, int]  # person, part of the figure, its index


@dataclass(frozen=True)
class PlantedError:
    """One planted error: whom it is on (from 0, left to right) and where, in fractions of the picture."""

    name: str
    cell: str
    severity: str
    affected: int
    person: int
    x: float
    y: float


@dataclass(frozen=True)
class Truth:
    """What is true of a picture; expected and visible map body parts to how many there are."""

    people: int
    expected: Mapping[str, int]
    visible: Mapping[str, int]
    errors: tuple[PlantedError, ...]

    def total(self, cell: str) -> int:
        """Return the count that marks of this cell are out of."""
        kind = CELL_BY_KEY[cell].count_kind
        return (self.expected if kind == "expected" else self.visible)[CELL_BY_KEY[cell].body_part]

    def terms(self) -> dict[str, tuple[Term, ...]]:
        """Return the true terms of each cell that has any, in published order."""
        affected: dict[tuple[str, str], int] = defaultdict(int)
        for error in self.errors:
            affected[error.cell, error.severity] += error.affected
        found = {
            cell.key: tuple(
                Term(affected[cell.key, severity], self.total(cell.key), severity)
                for severity in SEVERITIES
                if (cell.key, severity) in affected
            )
            for cell in CELLS
        }
        return {key: terms for key, terms in found.items() if terms}


class Deck:
    """Deals defects of a severity so that all come up before one comes up again, where they fit."""

    def __init__(self, name: str) -> None:
        self._chance = Chance(name)
        self._piles: dict[str, list[Defect]] = {severity: [] for severity in SEVERITIES}

    def deal(
        self, severity: str, places: list[Place], figures: tuple[Figure, ...]
    ) -> tuple[Defect, Place] | None:
        """Return a defect and the place it goes to, or None where no defect of this severity fits."""
        pile = self._piles[severity]
        fresh = self._chance.shuffled([defect for defect in DEFECTS if defect.severity == severity])
        for defect in [*pile, *fresh]:
            for place in places:
                person, part, index = place
                if part == defect.place and defect.fits(figures[person], index):
                    if defect in pile:
                        pile.remove(defect)
                    else:
                        pile.extend(other for other in fresh if other != defect)
                    return defect, place
        return None


def plant(scene: Scene, deck: Deck, severities: list[str], chance: Chance) -> tuple[Scene, Truth]:
    """Return the scene with one error per severity named, as far as there is room, and its truth."""
    people = len(scene.figures)
    visible = {part: count * people for part, count in WHOLE_BODY.items()}
    places, errors = chance.shuffled(_places(scene)), list[PlantedError]()
    for severity in severities:
        dealt = deck.deal(severity, places, scene.figures)
        if dealt is None:
            continue
        defect, place = dealt
        scene = changed(scene, defect, place[0], place[2])
        errors.append(_record(scene, defect, place))
        for part, change in defect.visible:
            visible[part] += change
        places = _left_over(places, place, errors)
    expected = {part: count * people for part, count in WHOLE_BODY.items()}
    return scene, Truth(people, expected, visible, tuple(errors))


def draw_severities(generator: Generator, people: int, chance: Chance) -> list[str]:
    """Return the severities of the errors that this generator makes in a picture of so many people."""
    wanted = chance.rounded(generator.error_rate * people**0.7)
    return [_severity(generator, chance) for _ in range(min(wanted, MOST_PER_PERSON * people))]


def changed(scene: Scene, defect: Defect, person: int, index: int = 0) -> Scene:
    """Return the scene with this defect on one person."""
    if defect.place == "clasp":
        return replace(scene, melted_clasp=True)
    figure = defect.change(scene.figures[person], index)
    figures = tuple(figure if i == person else other for i, other in enumerate(scene.figures))
    return replace(scene, figures=figures)


def _severity(generator: Generator, chance: Chance) -> str:
    draw, (mild, moderate, _) = chance.unit(), generator.severities
    return "a" if draw < mild else "b" if draw < mild + moderate else "c"


def _places(scene: Scene) -> list[Place]:
    parts = (("arm", 0), ("arm", 1), ("leg", 0), ("leg", 1), ("head", 0), ("torso", 0))
    places = [(person, part, index) for person in range(len(scene.figures)) for part, index in parts]
    clasps = [(0, "clasp", i) for i, arm in enumerate(scene.figures[0].arms) if arm.reach]
    return places + clasps


def _left_over(places: list[Place], used: Place, errors: list[PlantedError]) -> list[Place]:
    person = used[0]
    full = sum(error.person == person for error in errors) >= MOST_PER_PERSON
    return [place for place in places if place != used and not (full and place[0] == person)]


def _record(scene: Scene, defect: Defect, place: Place) -> PlantedError:
    person, _, index = place
    x, y = spot_of(scene.figures[person], defect, index)
    x, y = min(max(x / scene.size[0], 0.0), 1.0), min(max(y / scene.size[1], 0.0), 1.0)
    return PlantedError(
        defect.name, defect.cell, defect.severity, defect.affected, person, round(x, 4), round(y, 4)
    )
