"""What the reports on verdicts, checks and rated descriptions have beside the generic tables.

Plain counts come with exact (Clopper-Pearson) intervals, means over images with Student's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, floor
from typing import Any, Final, Literal

import numpy as np

from analysis.protocols.defect.agreement import FEWEST, marks_agreement, mean_of
from analysis.protocols.defect.frames import DefectFrame, Said, grouped
from analysis.stats.estimates import Estimate, refused
from analysis.stats.fewest_images import too_few
from analysis.stats.generic.agreement import ALPHA, agreement
from analysis.stats.generic.alphas import alpha_of
from analysis.stats.generic.separation import rate
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.steps import Steps
from annotator.protocols.defect.decisions import Decided
from scoring.defect.consolidation import MASK, TEXT
from scoring.protocol import Variable

share_of: Final = partial(rate, nothing="no images")
CAST: Final = Variable("vote", "Vote", "nominal", "1 keep, 0 drop", values=(0, 1))


def verdict_agreement(frame: DefectFrame, steps: Steps | None = None, **_: object) -> dict[str, Any]:
    """Return the agreement on verdicts, with the decisions and each person's rejects.

    What an expert adjudicated is in the decisions already.
    """
    own = [decisions(frame, {1.0: "Rejected"}), by_person(frame), control(frame), *outdated(frame)]
    return agreement(frame, replace(marks_agreement, own=lambda *_: own), steps)


def check_agreement(frame: DefectFrame, steps: Steps | None = None, **_: object) -> dict[str, Any]:
    """Return the agreement on checks, with the votes, what is kept of whom, and what uniting adds."""
    own = [decisions(frame, {}), votes(frame), kept(frame), united(frame), *outdated(frame)]
    return agreement(frame, replace(marks_agreement, own=lambda *_: own), steps)


def decisions(frame: DefectFrame, values: Mapping[float, str]) -> Json:
    """Return how the images were decided, and the shares of `values` among the decided ones."""
    found = list(frame.decided.values())
    done = [each for each in found if each.by]
    by = Counter(each.by or "open" for each in found)
    rows: list[list[Any]] = [
        [word.capitalize(), by[word], share_of(by[word], len(found))]
        for word in ("unanimity", "majority", "expert", "open")
        if by[word] or word != "majority"
    ]
    for value, words in values.items():
        hits = sum(each.value == value for each in done)
        rows.append([f"{words}, of those decided", hits, share_of(hits, len(done))])
    return table(
        "decisions",
        "Decisions",
        "An image is open while annotations are missing, or until an expert decides where annotators differ.",
        (
            ResultColumn("decided", "Decided by"),
            ResultColumn("images", "Images", "count", "images", "images"),
            ResultColumn("share", "Share", "estimate", "share of the images, with its exact 95% interval"),
        ),
        rows,
    )


def outdated(frame: DefectFrame) -> list[Json]:
    """Return the images behind whose decision something has changed; no table without any."""
    columns = (
        ResultColumn("image", "Image id", "data", "the image"),
        ResultColumn("generator", "Generator"),
        ResultColumn("prompt", "Prompt"),
        ResultColumn("number", "Image", "count", "its number within generator and prompt"),
        ResultColumn("what", "What has changed"),
    )
    text = (
        "Images behind whose decision something has changed. Ask the annotators or the expert to look again."
    )
    made = table("outdated", "Outdated", text, columns, [list(row) for row in frame.outdated])
    return [made] if frame.outdated else []


def by_person(frame: DefectFrame) -> Json:
    """Return each annotator's share of rejects, and how often the decision was another."""
    said: dict[str, list[tuple[float, Decided | None]]] = defaultdict(list)
    rows = frame.annotations[["image", "annotator"]].itertuples(index=False)
    for (image, annotator), value in zip(rows, frame.headline.tolist(), strict=True):
        if not np.isnan(value):
            # An image deleted while the report is computed is no longer among the decided ones.
            said[annotator].append((value, frame.decided.get(image)))
    lines = []
    for name, own in sorted(said.items()):
        decided = [(value, made.value) for value, made in own if made and made.by]
        rejects, overruled = sum(value for value, _ in own), sum(one != other for one, other in decided)
        shares = share_of(int(rejects), len(own)), share_of(overruled, len(decided))
        lines.append([name, len(own), shares[0], len(decided), shares[1]])
    return table(
        "verdicts",
        "Verdicts by annotator",
        "A verdict is overruled where the image was decided otherwise, which only an expert does.",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("verdicts", "Verdicts", "count", "verdicts of the annotator"),
            ResultColumn("rejects", "Rejects", "estimate", "share of rejects with its exact 95% interval"),
            ResultColumn("adjudicated", "Decided", "count", "of these, verdicts on decided images"),
            ResultColumn("overruled", "Overruled", "estimate", "share of these that were decided otherwise"),
        ),
        lines,
    )


def control(frame: DefectFrame) -> Json:
    """Return how many accepted images have a defect all the same, by those of them that were marked."""
    accepted = sum(each.value == 0 for each in frame.decided.values())
    found, looked_at = sum(frame.control.values()), len(frame.control)
    share = share_of(found, looked_at)
    missed = {**share, **{part: _whole(share, part, accepted) for part in ("value", "low", "high")}}
    return table(
        "control",
        "Missed by the verdicts",
        "Accepted images that were drawn for marks as a control sample, and in how many of them anybody "
        "marked a defect. The interval of their number among all accepted images is rounded outwards.",
        (
            ResultColumn("accepted", "Accepted", "count", "images that were accepted", "images"),
            ResultColumn("marked", "Of these, marked", "count", "of these, images marked", "images"),
            ResultColumn("found", "With a defect", "count", "of these, images with a defect", "images"),
            ResultColumn("rate", "Share", "estimate", "share with a defect, with its exact 95% interval"),
            ResultColumn("missed", "Among all accepted", "estimate", "the share of all accepted images"),
        ),
        [[accepted, looked_at, found, share, missed]] if looked_at else [],
    )


def _whole(share: Estimate, part: Literal["value", "low", "high"], images: int) -> float | None:
    """Return a share of images as a number of images; ends are rounded outwards."""
    exact, rounded = share[part], {"low": floor, "high": ceil}.get(part, float)
    return None if exact is None else float(rounded(exact * images))


def votes(frame: DefectFrame) -> Json:
    """Return the agreement of reviewers on masks, and on descriptions."""
    rows = []
    for criterion, words in ((MASK, "Masks"), (TEXT, "Descriptions")):
        given = [each for each in frame.said if each.criterion == criterion]
        hits = sum(each.value for each in given)
        items = len({(each.image, each.thing) for each in given})
        rows.append([words, items, share_of(hits, len(given)), alpha_among(given, CAST)])
    return table(
        "votes",
        "Votes",
        "Each reviewer's vote on each mask and on each description.",
        (
            ResultColumn("on", "Votes on"),
            ResultColumn("items", "Items", "count", "masks or descriptions judged"),
            ResultColumn(
                "kept", "Votes to keep", "estimate", "share of the votes, with its exact 95% interval"
            ),
            ALPHA,
        ),
        rows,
    )


def kept(frame: DefectFrame) -> Json:
    """Return how many masks and descriptions of each annotator a majority keeps."""
    by_person: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for (about, criterion, *_), cast in grouped(frame.said, "about", "criterion", "image", "thing").items():
        by_person[about, criterion].append(2 * sum(each.value for each in cast) > len(cast))
    rows = []
    for about in sorted({about for about, _ in by_person}):
        kept_of = [by_person[about, criterion] for criterion in (MASK, TEXT)]
        rows.append([about, len(kept_of[0]), *(share_of(sum(own), len(own)) for own in kept_of)])
    return table(
        "kept",
        "Kept by annotator",
        "What more than half of the reviewers keep of each annotator's marks.",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("marks", "Marks", "count", "marks that were judged"),
            ResultColumn(
                "masks", "Masks kept", "estimate", "share of the masks, with its exact 95% interval"
            ),
            ResultColumn("texts", "Descriptions kept", "estimate", "share of the descriptions, likewise"),
        ),
        rows,
    )


def united(frame: DefectFrame) -> Json:
    """Return how much larger the united regions are than the largest of one annotator."""
    values = np.array(list(frame.added.values()), dtype=np.float64)
    return table(
        "united",
        "What uniting adds",
        "The area of the region of all kept masks over the largest region of one annotator, minus 1.",
        (
            ResultColumn("images", "Images", "count", "checked images that keep a mask", "images"),
            ResultColumn("added", "Area added", "estimate", "mean over images with its 95% t interval"),
        ),
        [[len(values), mean_of(values, within=(-1.0, np.inf))]] if len(values) else [],
    )


def alpha_among(given: Sequence[Said], variable: Variable) -> Mapping[str, Any]:
    """Return alpha over things that two or more people judged; refused below eight images."""
    units = [own for _, own in sorted(grouped(given, "image", "thing").items()) if len(own) > 1]
    images = len({own[0].image for own in units})
    if images < FEWEST:
        return refused(too_few(images, FEWEST), n_units=images, method="")
    several = [each for own in units for each in own]
    codes = np.repeat(np.arange(len(units)), [len(own) for own in units])
    values = np.array([each.value for each in several], dtype=np.float64)[:, None]
    return alpha_of(values, codes, variable, len({each.annotator for each in several}))
