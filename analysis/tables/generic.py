"""Results that are lists of tables, as people read them; whatever protocol they are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from analysis.tables.comparison.findings import LEVEL, Finding
from analysis.tables.estimates import estimated
from analysis.tables.table import Cell, Heading, Row, RowsOnDemand, Table, count, name, number, probability
from analysis.tables.wording import interval, p_value, with_interval

Result = Mapping[str, Any]
PLACES: Final = 2
BETWEEN: Final = " & "
SIDES: Final = ("first", "second")


def text_of(value: str | list[str]) -> str:
    """A text of a result as people read it; several, such as the two annotators of a pair, are joined."""
    return value if isinstance(value, str) else BETWEEN.join(value)


def _text(value: str | list[str]) -> Cell:
    return name(text_of(value))


def _share(value: Any) -> Cell:
    return Cell("–" if value is None else f"{100 * value:.0f} %", numeric=True)


CELLS: Final[Mapping[str, Callable[[Any], Cell]]] = {
    "text": _text,
    "count": count,
    "number": lambda value: number(value, PLACES),
    "estimate": estimated,
    "share": _share,
    "p": probability,
}


def result_tables(result: Result) -> list[Table]:
    """The tables of a result; KeyError for one that is no list of tables."""
    return [_table(found) for found in result["tables"]]


def _table(found: Mapping[str, Any]) -> Table:
    made = [CELLS[column["kind"]] for column in found["columns"]]

    def row(values: Sequence[Any]) -> Row:
        return tuple(make(value) for make, value in zip(made, values, strict=True))

    return Table(
        slug=found["name"],
        title=found["title"],
        words=found["words"],
        headings=tuple(
            Heading(column["title"], column["kind"] != "text", column.get("meaning", ""))
            for column in found["columns"]
        ),
        rows=RowsOnDemand(found["rows"], row),
    )


def result_findings(result: Result) -> list[Finding]:
    """The sentences of a result, each from the row of the table that it names."""
    tables = {table["name"]: table for table in result["tables"]}
    said = []
    for found in result["findings"]:
        table = tables[found["table"]]
        names = [column["name"] for column in table["columns"]]
        said.append(
            SENTENCES[found["code"]](dict(zip(names, table["rows"][found["row"]], strict=True)), result)
        )
    return said


def result_methods(result: Result) -> str:
    """How the numbers were made, for a paper."""
    if "stages" in result:
        return _stages_methods(result)
    protocol = result["protocol"]
    source = protocol.get("shown_from")
    shown = (
        f" The annotations were made under the protocol “{source}” and are shown as this one."
        if source
        else ""
    )
    decided = result.get("settings", {}).get("images_adjudicated", 0)
    adjudicated = f", or the adjudicated value where there was one ({decided:,})" if decided else ""
    return (
        f"Images were judged by the protocol “{protocol['title']}”.{shown} Agreement is Krippendorff's alpha "
        "at each measure's level of measurement, with 95 % intervals from resampling whole images. "
        "Comparisons are over images, several annotations of one image averaged"
        f"{adjudicated}: Student's intervals of means, Welch's test with Holm's correction, Hedges' g."
    )


def _stages_methods(result: Result) -> str:
    first, second = (result["stages"][name]["title"] for name in SIDES)
    zeros = (
        "Images that the second stage left out because nobody marked anything in the first count as 0 there. "
        if result["settings"]["unmarked_as_zero"]
        else ""
    )
    return (
        f"The same images were judged first by the protocol “{first}”, then by “{second}”; several "
        f"annotations of one image were averaged. {zeros}How well a stage separates generators is η², the "
        "share of the variance between images that lies between generators (Cohen, 1988), with 95 % "
        "intervals from resampling whole images, the same ones for both stages and their difference. "
        "Agreement is Krippendorff's alpha. The miss rate has its exact 95 % interval (Clopper and Pearson, "
        "1934)."
    )


def _separates(row: Mapping[str, Any], result: Result) -> Finding:
    gap, images = row["difference"], f"{row['images']:,} images"
    titles = [result["stages"][name]["headline"].lower() for name in SIDES]
    if gap["value"] is None:
        return Finding("refused", f"Which stage separates generators better is open: {gap['refused']}.")
    one, other = (f"{row[name]['value']:.2f} by {what}" for name, what in zip(SIDES, titles, strict=True))
    each = f"η² is {one} and {other}"
    if gap["low"] is None:
        text = f"Over the same {images}, {each}; the difference has no interval, because {gap['refused']}."
        return Finding("note", text)
    told = f"the difference is {with_interval(gap)}"
    if gap["low"] <= 0 <= gap["high"]:
        text = f"Neither stage could be shown to separate generators better: over the same {images}, {each}; "
        return Finding("open", f"{text}{told}.")
    better = titles[gap["value"] > 0]
    sentence = f"{better.capitalize()} separates generators better: over the same {images}, {each}; {told}."
    return Finding("clear", sentence)


def _kept(row: Mapping[str, Any], _: Result) -> Finding:
    marked = row["both"] + row["first_only"]
    more = f"stage 2 marked {row['second_only']:,} that stage 1 had not"
    if not marked:
        return Finding("note", f"Nothing was marked in stage 1 on images that both judged; {more}.")
    share = f"{row['both']:,} ({100 * row['kept']:.0f} %)"
    return Finding("note", f"Of {marked:,} marks of stage 1, {share} were made in stage 2 too; {more}.")


def _missed(row: Mapping[str, Any], result: Result) -> Finding:
    if row["judged"]:
        rate = row["rate"]
        low, high = (f"{100 * rate[end]:.0f}" for end in ("low", "high"))
        seen = (
            f"Of {_images(row['judged'])} without a mark in stage 1, {row['found']:,} had an error in stage "
            f"2: a miss rate of {100 * rate['value']:.0f} % [{low}, {high}]"
        )
    else:
        seen = "No image without a mark in stage 1 was judged in stage 2, so the miss rate is not known"
    if not row["left_out"]:
        return Finding("note", f"{seen}.")
    without = f"{_images(row['left_out'])} without a mark left out of stage 2"
    if result["settings"]["unmarked_as_zero"]:
        return Finding("note", f"{seen}. Counted as 0 in stage 2, as this report was asked to: {without}.")
    why = "that nobody marked anything does not make an image free of errors"
    return Finding("note", f"{seen}. Not counted: {without}; {why}.")


def _images(count: int) -> str:
    return "1 image" if count == 1 else f"{count:,} images"


def _outweighed(row: Mapping[str, Any], _: Result) -> Finding:
    return Finding(
        "note",
        f"Not drawn for stage 2 and not counted: {_images(row['count'])}, while every image left out "
        "counts as 0. So images without errors weigh more here than among all images.",
    )


def _alpha(row: Mapping[str, Any], _: Result) -> Finding:
    alpha = row["alpha"]
    if alpha["value"] is None:
        return Finding("refused", f"{row['variable']}: there is no alpha, because {alpha['refused']}.")
    images = f"{alpha['n_units']:,} images"
    if alpha["low"] is None:
        reason = f"it has no interval, because {alpha['refused']}"
        return Finding("note", f"{row['variable']}: alpha is {alpha['value']:.2f} over {images}; {reason}.")
    return Finding("note", f"{row['variable']}: alpha is {with_interval(alpha)} over {images}.")


def _difference(row: Mapping[str, Any], result: Result) -> Finding:
    what, gap = result["protocol"]["headline"].lower(), row["difference"]
    if row["p_holm"] is None:
        pair = f"{row['a']} and {row['b']}"
        return Finding("refused", f"{pair}: there is no test of {what}, because {gap['refused']}.")
    lower, higher = (row["a"], row["b"]) if gap["value"] <= 0 else (row["b"], row["a"])
    p = f"Holm-corrected {p_value(row['p_holm'])}"
    if row["p_holm"] >= LEVEL:
        text = f"No difference in {what} between {lower} and {higher} could be shown ({p})."
        return Finding("open", text)
    by = f"{abs(gap['value']):.{PLACES}f}"
    sides = interval(gap if gap["value"] > 0 else _turned(gap))
    return Finding("clear", f"The mean {what} of {lower} is {by} {sides} lower than that of {higher} ({p}).")


def _turned(gap: Mapping[str, Any]) -> dict[str, Any]:
    return {"low": -gap["high"], "high": -gap["low"]}


SENTENCES: Final[Mapping[str, Callable[[Mapping[str, Any], Result], Finding]]] = {
    "alpha": _alpha,
    "difference": _difference,
    "separates": _separates,
    "kept": _kept,
    "missed": _missed,
    "outweighed": _outweighed,
}
