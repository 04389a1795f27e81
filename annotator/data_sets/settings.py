"""The settings of a project's data set: filters, scores, seed, splits, number of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from django.db.models import Count, Max, QuerySet

from annotator.annotations.summaries import summarise_invalid
from annotator.database.transactions import write_transaction
from annotator.models import Assignment, DataSet, Event, Project, User
from annotator.models.counting import is_work
from annotator.models.data_sets import invalid_from_in
from scoring.data_sets.filters import Filters
from scoring.data_sets.preference_pairs import MOST_PAIRS
from scoring.data_sets.splits import SPLITS, InvalidSplits, Splitting, named_prompts
from scoring.protocol import INVALID_FROM
from scoring.service import PROTOCOLS, get_protocol

REAL_SCORE: Final = Fraction(9)
"""The score of a real image. Source: BodyRealism, which leaves 10 to raters."""
MOST_VOTES: Final = 1000


class TooManyVotes(ValueError):
    """More invalid votes are asked for than an image can have."""


@dataclass(frozen=True)
class DataSetSettings:
    """The settings, which the form has checked."""

    filters: Filters = field(default_factory=Filters)
    real_score: Fraction = REAL_SCORE
    splitting: Splitting = field(default_factory=Splitting)
    most_pairs: int = MOST_PAIRS
    invalid_from: int = INVALID_FROM

    def as_json(self) -> dict[str, Any]:
        """Return the settings as JSON values for `from_json`."""
        splits, named = self.splitting, self.splitting.named
        return {
            "filters": self.filters.as_json(),
            "real_score": str(self.real_score),
            "seed": splits.seed,
            "validation": splits.validation,
            "test": splits.test,
            "named": {split: [prompt for prompt, own in named.items() if own == split] for split in SPLITS},
            "most_pairs": self.most_pairs,
            "invalid_from": self.invalid_from,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DataSetSettings:
        """Return what `as_json` wrote, with defaults for what is missing."""
        usual = Splitting()
        return cls(
            Filters.from_json(data.get("filters", {})),
            Fraction(data.get("real_score", REAL_SCORE)),
            Splitting(
                data.get("seed", usual.seed),
                data.get("validation", usual.validation),
                data.get("test", usual.test),
                named_prompts(data.get("named", {})),
            ),
            data.get("most_pairs", MOST_PAIRS),
            data.get("invalid_from", INVALID_FROM),
        )


def settings_of(project: Project) -> DataSetSettings:
    """Return a project's settings; the defaults if a lead has not set any."""
    stored = DataSet.objects.filter(project=project).values_list("settings", flat=True).first()
    return DataSetSettings.from_json(stored or {})


def invalid_from_of(project: Project, protocol: str) -> int:
    """Return from how many invalid votes an image has no score; the default if none can have such votes."""
    return invalid_from_in(project.pk) if get_protocol(protocol).outcome else INVALID_FROM


def save_settings(project: Project, settings: DataSetSettings, actor: User | None) -> bool:
    """Store the settings with an Event; return whether they differ from those before.

    Reports are computed again if scores depend on what changed. Raise InvalidSplits for a named prompt that
    no image of the project has, and TooManyVotes for more invalid votes than an image can have.
    """
    named = settings.splitting.named
    # All are read, because SQLite limits how many values a query can name.
    there = set(project.images.order_by().values_list("prompt", flat=True).distinct()) if named else set()
    for prompt in named:
        if prompt not in there:
            raise InvalidSplits(
                f"No image of this project has the prompt “{prompt[:120]}”. Copy the prompt as it is listed."
            )
    with write_transaction():
        Project.locked(project.pk)
        before = settings_of(project)
        if before == settings:
            return False
        changed = before.invalid_from != settings.invalid_from
        if changed:
            _require_possible(project, settings.invalid_from)
        DataSet.objects.update_or_create(project=project, defaults={"settings": settings.as_json()})
        if changed:
            _change_scores(project, min(before.invalid_from, settings.invalid_from))
        data = {"settings": settings.as_json(), "replaced": before.as_json()}
        Event.objects.create(project=project, actor=actor, verb="data_set_settings", data=data)
    return True


def _consolidating() -> list[str]:
    return [slug for slug in PROTOCOLS if get_protocol(slug).outcome]


def _consolidated_work(project: Project) -> QuerySet[Assignment]:
    of_project = Assignment.objects.filter(is_work(), batch__project=project)
    return of_project.filter(batch__protocol__in=_consolidating()).order_by()


def _require_possible(project: Project, invalid_from: int) -> None:
    """Raise TooManyVotes for more invalid votes than an image can have."""
    by_image = _consolidated_work(project).values("image").annotate(raters=Count("annotator", distinct=True))
    # As long as no work is given out, an image will have the usual raters.
    usual = max(get_protocol(slug).raters for slug in _consolidating())
    raters = by_image.aggregate(most=Max("raters"))["most"] or usual
    if invalid_from > max(raters, INVALID_FROM):
        raise TooManyVotes(
            f"An image has at most {raters} raters, so {invalid_from} invalid votes are impossible. Enter a "
            f"number from 1 to {max(raters, INVALID_FROM)}."
        )


def _change_scores(project: Project, votes: int) -> None:
    """Change the scores that depend on `votes` invalid votes or more, in the summaries."""
    held = project.batches.filter(protocol__in=_consolidating()).order_by("pk")
    # From here on, no annotation in these batches changes.
    list(held.select_for_update().values_list("pk"))
    if there := sorted(set(_consolidated_work(project).values_list("batch__protocol", flat=True).distinct())):
        summarise_invalid(project.pk, there, votes)


def lines_of(text: str) -> list[str]:
    """Return the prompts of a text, one per line."""
    return [line.strip() for line in text.splitlines() if line.strip()]
