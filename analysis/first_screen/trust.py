"""Whether a comparison can be trusted: balance, agreement, blinding, adjudication and data as lights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from analysis.reports.stored import excerpt_of, newest_done
from analysis.stats.comparison import UNEVENLY
from analysis.stats.generic.tables import rows_of
from analysis.tables.agreement import TENTATIVE, in_words, is_chance
from analysis.tables.blinding import seen_sentences
from analysis.tables.exclusions import not_counted, not_read
from analysis.tables.wording import PLACES, counted, interval, named, rounded
from annotator.models import Batch, Project

LISTED: Final = 6
"""Generators with a number of their own in a sentence."""
Result = Mapping[str, Any]


@dataclass(frozen=True)
class Light:
    """A verdict (fine, look, stop; note if there is nothing to judge), its name, and the words after it.

    `problem` says what imports could not read; leads can open it.
    """

    verdict: str
    name: str
    words: str
    problem: str = ""


def alpha_of(project: Project, protocol: str) -> Mapping[str, Any] | None:
    """Return the alpha of the scores in the newest agreement report, None without one; one query."""
    return excerpt_of(newest_done(project, "agreement", protocol)).get("alpha")


def typical_ms_of(project: Project, protocol: str) -> float | None:
    """Return the median time for an image by the newest quality report, None if unknown; one query."""
    return excerpt_of(newest_done(project, "quality", protocol)).get("typical_ms")


def trust_of(
    result: Result,
    alpha: Mapping[str, Any] | None,
    batches: Sequence[Batch],
    *,
    typical_ms: float | None = None,
    fast_ms: int = 5_000,
) -> dict[str, Any]:
    """Return the lights by name; `chance` is the sentence that replaces the headline, empty if there is none.

    `batches` are those with annotations that count. `typical_ms` is the median time per image, None for
    imported annotations; below `fast_ms` it is too short.
    """
    hurried = None if typical_ms is None or typical_ms >= fast_ms else typical_ms / 1000
    balance = rows_of(result, "balance")
    return {
        "balance": _balance(result, balance),
        "agreement": _agreement(alpha),
        "blinding": _blinding(batches),
        "adjudication": _adjudication(balance),
        "data": _data(result, hurried),
        "chance": _chance_words(alpha, hurried) if alpha and is_chance(alpha) else "",
    }


def _chance_words(alpha: Mapping[str, Any], seconds: float | None) -> str:
    pace = f"; median time {_seconds(seconds)} per image" if seconds is not None else ""
    return (
        f"Alpha of the score is {_two(alpha['value'])} {interval(alpha)} over "
        f"{counted(alpha['n_units'], 'image')} with two or more annotations{pace}. "
        "Find the cause before you use the ranking."
    )


def _balance(result: Result, rows: Sequence[Mapping[str, Any]]) -> Light:
    line = next((table["line"] for table in result["tables"] if table["name"] == "balance"), "")
    again = _by_generator(rows, "targeted")
    words = f" Annotated again because of earlier annotations: {again}." if again else ""
    return Light("look" if UNEVENLY in line else "fine", "Balance", f"{line}.{words}")


def _blinding(batches: Sequence[Batch]) -> Light:
    hidden = all(batch.generator_was == Batch.Seen.HIDDEN for batch in batches)
    return Light(
        "fine" if hidden and batches else "look", "Blinding", seen_sentences(batches) or "Not known."
    )


def _adjudication(rows: Sequence[Mapping[str, Any]]) -> Light:
    decided = _by_generator(rows, "adjudicated")
    words = f"{decided}. Verdicts do not use adjudicated scores." if decided else "No image is adjudicated."
    return Light("fine" if decided else "note", "Adjudication", words)


def _by_generator(rows: Sequence[Mapping[str, Any]], column: str) -> str:
    """Return how many images of each generator a column of the balance counts; empty without any."""
    if not any(row[column] for row in rows):
        return ""
    total = counted(sum(row[column] for row in rows), "image")
    some = [f"{named(row['generator'])} {row[column]:,}" for row in rows[:LISTED]]
    more = [counted(len(rows) - LISTED, "other")] if len(rows) > LISTED else []
    return f"{total} ({', '.join([*some, *more])})"


def _agreement(alpha: Mapping[str, Any] | None) -> Light:
    if alpha is None:
        return Light("look", "Agreement", "Not known: there is no agreement report.")
    if alpha["value"] is None:
        return Light("look", "Agreement", f"Not known: {alpha['refused']}.")
    if alpha["low"] is None:
        return Light("look", "Agreement", f"alpha {_two(alpha['value'])}, no interval: {alpha['refused']}.")
    words = (
        f"alpha {_two(alpha['value'])} {interval(alpha)}; 1 is perfect, 0 is "
        f"chance, {TENTATIVE} is the usual minimum."
    )
    verdict = "stop" if is_chance(alpha) else "fine" if alpha["low"] >= TENTATIVE else "look"
    noise = (
        " The generators’ intervals allow for this disagreement."
        if verdict == "look" and alpha["low"] > 0
        else ""
    )
    return Light(verdict, "Agreement", f"{in_words(alpha)}: {words}{noise}")


def _data(result: Result, seconds: float | None) -> Light:
    settings = result["settings"]
    made, of = counted(settings["annotations"], "annotation"), counted(settings["images"], "image")
    short = f"Too fast: median time {_seconds(seconds)} per image." if seconds else ""
    without = result.get("answers", {}).get("counted", settings["annotations"]) - settings["annotations"]
    has, is_ = ("has", "is") if without == 1 else ("have", "are")
    more = f"{counted(without, 'more annotation')} {has} no score, or {is_} of an image without one."
    words = [
        f"{made} of {of}, {counted(settings['annotators'], 'annotator')}.",
        more if without else "",
        short,
        *(finding.text for finding in not_counted(result)),
    ]
    problem = _not_read(*not_read(result))
    verdict = "stop" if short else "look" if problem else "fine"
    return Light(verdict, "Data", " ".join(filter(None, words)), problem)


def _not_read(unreadable: int, uncounted: int) -> str:
    """Return how much cannot be read; empty if nothing."""
    said = []
    if unreadable:
        have = f"{counted(unreadable, 'annotation')} {'has' if unreadable == 1 else 'have'} a cell"
        said.append(f"{have} that cannot be read; another reading could change the result")
    if uncounted:
        said.append(
            f"{uncounted:,} cannot be read at all and {'is' if uncounted == 1 else 'are'} not counted"
        )
    return f"{'. '.join(said)}." if said else ""


def _seconds(value: float) -> str:
    return f"{value:.1f} s" if value < 1 else f"{value:.0f} s"


def _two(value: float) -> str:
    return rounded(value, PLACES)
