"""The first screen of a quality report: a row for each annotator, from stored results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.models import Report
from analysis.reports.stored import excerpt_of, newest_done
from analysis.tables.quality import (
    RULES,
    VERDICTS,
    Line,
    leaning_of,
    needed_for_verdict,
    reasons_of,
    signed,
    title_of,
)
from analysis.tables.wording import rounded
from annotator.models import Image, Membership, Project
from scoring.rounding import percent, seconds

PLACES: Final = 2
LONGEST_MS: Final = 60_000
"""Where the bar of the time per image ends."""
MANY: Final = 50
"""Of more annotators, those with nothing to look at are folded."""


def quality_screen(
    report: Report, project: Project, inactive: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the first screen of a finished quality report.

    `inactive` says of codes for how long they have been so: they are to look at. Of many `rows`, those with
    nothing to look at are `folded`. `unwatched` are codes of active annotators of whom the report says
    nothing: nothing submitted here, or all imported. `rule` is what a verdict needs, if somebody has too few
    annotations.
    """
    result: Mapping[str, Any] = report.result or {}
    told = result["settings"]
    lines = _with_inactive(result["lines"], inactive or {})
    wanted = {pk for line in lines for pk in (*line["images"], *(anchor["image"] for anchor in line["last"]))}
    images = Image.objects.filter(project=project).in_bulk(wanted)
    people = {person.code: person for person in project.memberships.select_related("user")}
    alphas = excerpt_of(newest_done(project, "agreement", report.protocol)).get("alphas", {})
    totals = [
        sum(counts)
        for counts in zip(*(line["severities"] for line in lines if line["severities"]), strict=True)
    ]
    rows = [_row(line, result, images, people, alphas) for line in lines]
    told_of = [row for row in rows if len(rows) <= MANY or row["verdict"] in ("stop", "look")]
    return {
        "title": title_of(lines),
        "rows": told_of,
        "folded": rows[len(told_of) :],
        "fast_percent": 100 * told["fast_ms"] // LONGEST_MS,
        "fast_seconds": told["fast_ms"] / 1000,
        "team": _mix(totals, told["severities"]),
        "recent": told["recent"],
        "unwatched": _unwatched(people, {line["annotator"] for line in lines}),
        "rule": needed_for_verdict(told) if any(row["verdict"] == "few" for row in rows) else "",
    }


def _unwatched(people: Mapping[str, Membership], known: set[str]) -> list[str]:
    return sorted(
        code
        for code, member in people.items()
        if member.is_active and member.role == Membership.Role.ANNOTATOR and code not in known
    )


def _with_inactive(lines: Sequence[Line], inactive: Mapping[str, str]) -> list[Line]:
    """Return the lines in order, the worst first; inactive annotators are at least to look at."""
    order = list(VERDICTS)
    rows = [
        {**line, "verdict": "look", "silence": inactive[line["annotator"]]}
        if line["annotator"] in inactive and line["verdict"] != "stop"
        else line
        for line in lines
    ]
    return sorted(rows, key=lambda line: order.index(line["verdict"]))


def _row(
    line: Line,
    result: Mapping[str, Any],
    images: Mapping[int, Image],
    people: Mapping[str, Membership],
    alphas: Mapping[str, float],
) -> dict[str, Any]:
    """Return the row of one annotator; `member` is None if they have left the project.

    `rule` says what the verdict rests on, `overall` and `lately` how far the scores are from the references,
    `leaning` on which side the last anchors lie; `further` images are not among those. Texts are empty where
    there is nothing to say.
    """
    told, median, code = result["settings"], line["median_ms"], line["annotator"]
    last = [anchor for anchor in line["last"] if anchor["image"] in images]
    shown = [images[pk] for pk in line["images"] if pk in images]
    return {
        "code": code,
        "member": people.get(code),
        "verdict": line["verdict"],
        "word": VERDICTS[line["verdict"]],
        "rule": RULES[line["verdict"]],
        "reasons": reasons_of(line, result),
        "silence": line.get("silence", ""),
        "overall": _difference(line["references"]["overall"]),
        "lately": _difference(line["references"]["lately"]),
        "anchors": _anchors(line["references"]["anchors"], told),
        "median": "" if median is None else seconds(median),
        "median_percent": 0 if median is None else min(round(100 * median / LONGEST_MS), 100),
        "fast": "" if line["fast_share"] is None else f"{percent(line['fast_share'])}%",
        "severities": _mix(line["severities"], told["severities"]),
        "repeats": _repeats(line["repeats"]),
        "shift": _with_limits(line["repeats"]["shift"]),
        "images": shown,
        "further": [image for image in shown if image.pk not in {anchor["image"] for anchor in last}],
        "last": [
            {
                "image": images[anchor["image"]],
                "score": rounded(anchor["score"], PLACES),
                "reference": rounded(anchor["reference"], PLACES),
            }
            for anchor in last
        ],
        "leaning": leaning_of(line["last"]),
        "agreement": rounded(alphas[code], PLACES) if code in alphas else "",
    }


def _anchors(count: int, settings: Mapping[str, Any]) -> str:
    """Return of which anchors the difference beside a verdict is."""
    needed, recent = settings["fewest_anchors"], settings["recent"]
    if not count:
        return "No anchors yet"
    if count > recent:
        return f"last {recent} of {count} anchors"
    return f"{count} of {needed} anchors" if count < needed else f"{count} anchors"


def _difference(found: Mapping[str, Any]) -> str:
    if found["value"] is None:
        return ""
    return _with_limits(found) or signed(found["value"])


def _mix(counts: Sequence[int], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the share of each severity in percent."""
    whole = sum(counts)
    if not whole:
        return []
    return [
        {"letter": name, "percent": int(percent(count / whole))}
        for name, count in zip(names, counts, strict=True)
    ]


def _repeats(found: Mapping[str, Any]) -> str:
    alpha = found["alpha"]["value"]
    if alpha is not None:
        return rounded(alpha, PLACES)
    return f"too few: {found['pairs']}" if found["pairs"] else ""


def _with_limits(found: Mapping[str, Any]) -> str:
    """Return a signed difference with its interval; empty without one."""
    if found["value"] is None or found["low"] is None:
        return ""
    low, high = (rounded(found[end], PLACES) for end in ("low", "high"))
    return f"{signed(found['value'])} [{low}, {high}]"
