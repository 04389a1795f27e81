"""The data set of a bundle: its settings, what the filters decided, and outside metrics, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from analysis.bundles.restoring import rules
from analysis.bundles.restoring.archive import BundleRefused
from analysis.bundles.restoring.rules import Rule, Unfit, maybe, text, truth, whole
from analysis.data.metrics import LONGEST_NAME, MOST
from annotator.data_sets.settings import DataSetSettings
from scoring.data_sets.filters import REASONS


def number(least: float, most: float) -> Rule:
    """Return the rule for a finite number within bounds."""

    def rule(value: Any) -> float:
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        if not fits or not least <= value <= most:
            raise Unfit(f"a number from {least:g} to {most:g}")
        return float(value)

    return rule


def reasons(value: Any) -> str:
    """Return keys of REASONS in their order, joined by spaces; raise Unfit for any other value."""
    found = value.split(" ") if isinstance(value, str) and value else []
    if not isinstance(value, str) or found != [name for name in REASONS if name in found]:
        raise Unfit(f"some of {', '.join(REASONS)} in this order, separated by spaces")
    return value


SCREENING_RULES: Final[Mapping[str, Rule]] = {
    "persons": maybe(whole(0)),
    "classes": maybe(whole(0)),
    "person_confidence": maybe(number(0, 1)),
    "moderation": maybe(number(0, 1)),
    "reasons": reasons,
    "kept": truth,
}
_SCORE: Final = re.compile(r"[0-9]{1,5}(/[0-9]{1,5})?")
METRIC_RULES: Final[Mapping[str, Rule]] = {"metric": text(LONGEST_NAME, 1), "value": number(-MOST, MOST)}


def stored_settings(found: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the settings of a data set as they are stored, empty without any; raise BundleRefused."""
    if not found:
        return {}
    fits = rules.storable(found) and _SCORE.fullmatch(str(found.get("real_score", "9")))
    try:
        made = DataSetSettings.from_json(found).as_json() if fits else {}
        for name in ("seed", "most_pairs", "invalid_from"):
            whole(0)(made.get(name))
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise BundleRefused(f"{where}: these are not the settings of a data set: {error}.") from error
    # What an earlier version did not know is missing; nothing else may differ.
    for name, value in found.items():
        known = {**made[name], **value} if name == "filters" and isinstance(value, dict) else value
        if name not in made or known != made[name]:
            raise BundleRefused(
                f"{where}: “{rules.shown(name)}” is {rules.shown(value)}, which is not valid."
            )
    return made
