"""Distribution of scores over all annotations and in bands of overall severity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, nothing
from analysis.figures.pieces import across, down, named, severity_colour, short, tips
from analysis.tables.wording import counted

BANDS: Final = ("low", "medium", "high")
WIDTH: Final = 520
Result = Mapping[str, Any]


def histogram(result: Result) -> Figure:
    """Return the histogram of all cumulative scores."""
    slug, title = "scores", "Distribution of cumulative scores"
    found = result["distributions"]["histogram"]
    edges, counts = found["edges"], found["counts"]
    if not counts:
        return nothing(slug, title, "no annotations", "3A")
    rows = [
        {"from": low, "to": high, "count": count}
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    ]
    tallest = max(rows, key=lambda row: row["count"])
    return Figure(
        slug=slug,
        label="3A",
        title=title,
        note="Each annotation counts once, so a doubly annotated image counts twice.",
        description=(
            f"Histogram of {sum(counts):,} cumulative scores from 0 to {short(edges[-1])}. The tallest bar, "
            f"{tallest['count']:,} annotations, is between {short(tallest['from'])} and "
            f"{short(tallest['to'])}."
        ),
        columns=(
            FigureColumn("from", "From"),
            FigureColumn("to", "To, not included"),
            FigureColumn("count", "Annotations"),
        ),
        rows=rows,
        drawn={"bins": rows},
        view={
            "width": WIDTH,
            "height": 240,
            "data": {"name": "bins"},
            "mark": {"type": "bar", "binSpacing": 0},
            "encoding": {
                "x": across("from", "Cumulative score", bin={"binned": True}, axis={"grid": False}),
                "x2": {"field": "to"},
                "y": {"field": "count", "type": "quantitative", "title": "Annotations"},
                "tooltip": tips(("from", "From"), ("to", "To"), ("count", "Annotations")),
            },
        },
    )


def bands(result: Result) -> Figure:
    """Return the figure of overall severity by generator."""
    slug, title = "generator-bands", "Overall severity by generator"
    entries = result["distributions"]["bands"]
    if not entries:
        return nothing(slug, title, "no annotations", "3B")
    if not any(e[band] for e in entries for band in BANDS):
        fewest = result["distributions"]["bands_cut"]["fewest"]
        return nothing(slug, title, f"no annotator has {fewest} scores to cut bands from", "3B")
    drawn = [
        {
            "name": named(e["generator"]),
            "severity": band,
            "rank": rank,
            "count": e[band],
            "share": e[band] / max(sum(e[name] for name in BANDS), 1),
        }
        for e in entries
        for rank, band in enumerate(BANDS)
    ]
    for rank_start in range(0, len(drawn), len(BANDS)):
        reached = 0.0
        for row in drawn[rank_start : rank_start + len(BANDS)]:
            row["middle"] = reached + row["share"] / 2
            reached += row["share"]
    most = max(entries, key=lambda e: e["high"] / max(sum(e[name] for name in BANDS), 1))
    order = [named(e["generator"]) for e in entries]
    y = down("name", order)
    warned = _cautions(result["distributions"]["bands_cut"])
    caution = {"caution": warned} if warned else {}
    return Figure(
        slug=slug,
        label="3B",
        title=title,
        note=(
            "Low, medium and high are cut at the median and the upper quartile of each annotator's own "
            f"scores. Numbers count annotations.{warned and f' {warned}'}"
        ),
        description=(
            "Bars of low, medium and high overall severity by generator. Largest share of high: "
            f"{named(most['generator'])}, {most['high']} of {sum(most[name] for name in BANDS)}."
        ),
        columns=(
            FigureColumn("name", "Generator", numeric=False),
            *(FigureColumn(band, band.title()) for band in BANDS),
            *(FigureColumn(key, "Caution", numeric=False) for key in caution),
        ),
        rows=[
            {"name": named(e["generator"]), **{band: e[band] for band in BANDS}, **caution} for e in entries
        ],
        drawn={"bands": drawn},
        view={
            "width": WIDTH,
            "height": {"step": 44},
            "data": {"name": "bands"},
            "layer": [
                {
                    "mark": {"type": "bar", "height": {"band": 0.72}},
                    "encoding": {
                        "y": y,
                        "x": across("share", "Share of annotations", stack="zero", axis={"format": "%"}),
                        "color": severity_colour("Overall severity", BANDS),
                        "order": {"field": "rank"},
                        "tooltip": tips(
                            ("name", "Generator"), ("severity", "Overall severity"), ("count", "Annotations")
                        ),
                    },
                },
                *(
                    {
                        "transform": [{"filter": f"datum.share > 0.03 && datum.rank == {rank}"}],
                        "mark": {"type": "text", "fontSize": 12, "style": f"on-{rank}"},
                        "encoding": {
                            "y": y,
                            "x": across("middle", "Share of annotations"),
                            "text": {"field": "count"},
                        },
                    }
                    for rank in range(len(BANDS))
                ),
            ],
        },
    )


def _cautions(cut: Result) -> str:
    """Return what to consider of the bands; empty with enough scores."""
    told = []
    if cut["annotations_left_out"]:
        who = counted(cut["annotators_left_out"], "annotator")
        told.append(
            f"{counted(cut['annotations_left_out'], 'annotation')} of {who} with fewer than {cut['fewest']} "
            "scores not counted."
        )
    if few := cut["caution"]:
        told.append(f"{few[0].upper()}{few[1:]}.")
    return " ".join(told)
