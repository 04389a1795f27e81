"""Whether a comparison can be trusted: balance, agreement and data as lights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis.first_screen.basis import Result
from analysis.reports.excerpts import excerpt_of
from analysis.reports.lifecycle import newest_done
from analysis.tables.agreement.findings import TENTATIVE, in_words, is_chance
from analysis.tables.exclusions import real_pictures
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, counted
from annotator.models import Project


@dataclass(frozen=True)
class Light:
    """A verdict (fine, look, stop), its name, and the words after it.

    `problem` says what imports could not read; leads can open it.
    """

    verdict: str
    name: str
    words: str
    problem: str = ""


@dataclass(frozen=True)
class Trust:
    """The three lights; `chance` is the sentence that replaces the headline, empty if there is none."""

    balance: Light
    agreement: Light
    data: Light
    chance: str = ""


def alpha_of(project: Project, protocol: str) -> Mapping[str, Any] | None:
    """Return the alpha of the scores in the newest agreement report, None without one; one query."""
    return excerpt_of(newest_done(project, "agreement", protocol)).get("alpha")


def trust_of(
    result: Result,
    alpha: Mapping[str, Any] | None,
    *,
    unreadable: int = 0,
    uncounted: int = 0,
    seconds: float | None = None,
    fast_ms: int = 5_000,
) -> Trust:
    """Return the lights.

    `unreadable` annotations have terms that cannot be read; of `uncounted` ones nothing can be read.
    `seconds` is the median time per image, None for imported annotations; below `fast_ms` it is too short.
    """
    hurried = seconds is not None and 1000 * seconds < fast_ms
    chance = alpha is not None and is_chance(alpha)
    return Trust(
        balance=_balance(result["balance"]),
        agreement=_agreement(alpha),
        data=_data(result, unreadable, uncounted, seconds if hurried else None, fast_ms),
        chance=_chance_words(alpha, seconds if hurried else None) if chance and alpha else "",
    )


def _chance_words(alpha: Mapping[str, Any], seconds: float | None) -> str:
    pace = f"; median time {_seconds(seconds)} per image" if seconds is not None else ""
    return (
        f"Alpha of the score is {_two(alpha['value'])} [{_two(alpha['low'])}, {_two(alpha['high'])}] over "
        f"{counted(alpha['n_units'], 'doubly annotated image')}{pace}. "
        "Find the cause before you use the ranking."
    )


def _balance(found: Mapping[str, Any]) -> Light:
    counts = {count for row in found["counts"] for count in row}
    if found["balanced"] and len(counts) == 1 and len(found["annotators"]) > 1:
        (each,) = counts
        words = f"{counted(each, 'image')} of each generator per annotator."
    else:
        words = found["words"]
    return Light("fine" if found["balanced"] else "look", "Balance", words)


def _agreement(alpha: Mapping[str, Any] | None) -> Light:
    if alpha is None:
        return Light("look", "Agreement", "Not known: there is no agreement report.")
    if alpha["value"] is None:
        return Light("look", "Agreement", f"Not known: {alpha['refused']}.")
    if alpha["low"] is None:
        return Light("look", "Agreement", f"alpha {_two(alpha['value'])}, no interval: {alpha['refused']}.")
    words = (
        f"alpha {_two(alpha['value'])} [{_two(alpha['low'])}, {_two(alpha['high'])}]; 1 is perfect, 0 is "
        f"chance, {TENTATIVE} is the usual minimum."
    )
    verdict = "stop" if is_chance(alpha) else "fine" if alpha["low"] >= TENTATIVE else "look"
    noise = " The intervals include this noise." if verdict == "look" and alpha["low"] > 0 else ""
    return Light(verdict, "Agreement", f"{in_words(alpha)}: {words}{noise}")


def _data(result: Result, unreadable: int, uncounted: int, seconds: float | None, fast_ms: int) -> Light:
    settings = result["settings"]
    made, of = counted(settings["annotations"], "annotation"), counted(settings["images"], "image")
    size = f"{made} of {of}, {counted(settings['annotators'], 'annotator')}"
    real = f" {said}" if (said := real_pictures(result)) else ""
    harmless, problem = _not_read(result, unreadable, uncounted)
    if seconds is not None:
        short = f"Too fast: median time {_seconds(seconds)} per image, below {fast_ms / 1000:g} s."
        return Light("stop", "Data", f"{size}. {short}{real}", problem)
    return Light("fine" if harmless else "look", "Data", f"{size}.{real}", problem)


def _not_read(result: Result, unreadable: int, uncounted: int) -> tuple[bool, str]:
    """Return whether what cannot be read is known to change nothing, and how much it is."""
    if not unreadable + uncounted:
        return True, ""
    said, held = [], not uncounted
    if unreadable:
        rows = [row for row in result["robustness"]["rows"] if row["kind"] == "unreadable"]
        same = bool(rows) and all(row["order_holds"] and row["verdicts_hold"] for row in rows)
        held = held and same
        have = f"{counted(unreadable, 'annotation')} {'has' if unreadable == 1 else 'have'} a cell"
        told = (
            "however it is read, the result stays the same"
            if same
            else "another reading could change the result"
        )
        said.append(f"{have} that cannot be read; {told}")
    if uncounted:
        said.append(
            f"{uncounted:,} cannot be read at all and {'is' if uncounted == 1 else 'are'} not counted"
        )
    return held, f"{'. '.join(said)}."


def _seconds(value: float) -> str:
    return f"{value:.1f} s" if value < 1 else f"{value:.0f} s"


def _two(value: float) -> str:
    return rounded(value, PLACES)
