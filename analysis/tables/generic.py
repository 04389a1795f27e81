"""Display of results: tables, findings and methods, for any protocol and kind of report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from analysis.tables.agreement import SENTENCES as AGREEMENT
from analysis.tables.agreement import agreement_methods
from analysis.tables.comparison.sentences import SENTENCES as COMPARISON
from analysis.tables.comparison.sentences import comparison_methods
from analysis.tables.exclusions import counted_tables, not_counted
from analysis.tables.suggestions import SENTENCES as SUGGESTIONS
from analysis.tables.suggestions import suggestions_methods
from analysis.tables.table import (
    Heading,
    Row,
    RowsOnDemand,
    Table,
    TableCell,
    count,
    name,
    number,
    probability,
)
from analysis.tables.wording import BETWEEN, Finding, named, rounded, with_interval
from scoring.grid.taxonomy import SEVERITY_TITLES
from scoring.protocol import INVALID_FROM
from scoring.rounding import percent

Result = Mapping[str, Any]
PLACES: Final = 2
SIDES: Final = ("first", "second")
TOO_FEW: Final = "too few"


def text_of(value: str | list[str]) -> str:
    """Return a text to display; several, such as the annotators of a pair, are joined."""
    return value if isinstance(value, str) else BETWEEN.join(value)


def _text(value: str | list[str] | None) -> TableCell:
    return TableCell("–") if value is None else name(text_of(value))


def _share(value: Any) -> TableCell:
    return TableCell("–" if value is None else f"{percent(value)}%", numeric=True)


def estimated(value: Mapping[str, Any] | None) -> TableCell:
    """Return `0.55 [0.29, 0.73]`, with a note for missing parts; a dash where there is no estimate."""
    if value is None:
        return TableCell("–", numeric=True)
    if value["value"] is None:
        return TableCell("–", numeric=True, note=f"not defined: {value['refused']}")
    note = f"no interval: {value['refused']}" if value["low"] is None else ""
    return TableCell(with_interval(value), numeric=True, note=note)


def _number(value: float | list[float | None] | None) -> TableCell:
    """Return a number, or both numbers of a pair."""
    if isinstance(value, list):
        return TableCell(BETWEEN.join(number(end, PLACES).text for end in value), numeric=True)
    return number(value, PLACES)


CELLS: Final[Mapping[str, Callable[[Any], TableCell]]] = {
    "text": _text,
    "count": count,
    "number": _number,
    "estimate": estimated,
    "share": _share,
    "p": probability,
}


def result_tables(result: Result) -> list[Table]:
    """Return the tables of a result, and that of the annotations it counts."""
    return [*map(shown_table, result["tables"]), *counted_tables(result)]


def shown_table(found: Mapping[str, Any]) -> Table:
    """Return a table of a result for display."""
    shown = [(place, column) for place, column in enumerate(found["columns"]) if column["kind"] in CELLS]

    def row(values: Sequence[Any]) -> Row:
        return tuple(CELLS[column["kind"]](values[place]) for place, column in shown)

    return Table(
        slug=found["name"],
        title=found["title"],
        words=found["words"],
        headings=tuple(
            Heading(
                named(column["title"]),
                column["kind"] != "text",
                column.get("meaning", ""),
                letter := column.get("severity", ""),
                SEVERITY_TITLES.get(letter, ""),
            )
            for _, column in shown
        ),
        rows=RowsOnDemand(found["rows"], row),
    )


def result_findings(result: Result) -> list[Finding]:
    """Return the findings of a result, each from the table row it names."""
    tables = {table["name"]: table for table in result["tables"]}
    said = []
    for finding in result["findings"]:
        table = tables[finding["table"]]
        names = [column["name"] for column in table["columns"]]
        row = [None] * len(names) if finding["row"] is None else table["rows"][finding["row"]]
        said.append(SENTENCES[finding["code"]](dict(zip(names, row, strict=True)), result))
    return said


def report_findings(result: Result) -> list[Finding]:
    """Return what a report does not count, then its findings."""
    return [*not_counted(result), *result_findings(result)]


def is_published(result: Result) -> bool:
    """Return whether publications have such a result; none has the lines of quality."""
    return "lines" not in result


def result_methods(result: Result) -> str:
    """Return the methods paragraph, with the number of invalid votes if it is not the published one.

    It is empty for a result that no publication has.
    """
    if not is_published(result):
        return ""
    invalid_from = result.get("data_set", result.get("protocol", {})).get("invalid_from", INVALID_FROM)
    if invalid_from == INVALID_FROM:
        return _methods(result)
    return (
        f"{_methods(result)} Images with {invalid_from} or more invalid votes have no score; "
        f"the published rule has {INVALID_FROM}."
    )


def _methods(result: Result) -> str:
    if "stages" in result:
        return _stages_methods(result)
    if "across" in result:
        return _across_methods(result)
    if "data_set" in result:
        return _data_set_methods(result)
    if "suggestions" in result:
        return suggestions_methods(result)
    if "model" in result:
        return comparison_methods(result)
    return agreement_methods(result)


def _stages_methods(result: Result) -> str:
    first, second = (result["stages"][name]["title"] for name in SIDES)
    zeros = (
        "Images that the second stage left out because the first had no marks on them count as 0. "
        if result["settings"]["unmarked_as_zero"]
        else ""
    )
    return (
        f"The same images were annotated first under the protocol “{first}”, then under “{second}”; several "
        f"annotations of an image were averaged. {zeros}Separation of generators is measured by η², the "
        "share of the variance between images that lies between generators (Cohen, 1988), with 95% "
        "intervals from resampling whole images, the same ones for both stages and their difference. "
        "Agreement is Krippendorff's alpha. The miss rate has its exact 95% interval (Clopper and Pearson, "
        "1934)."
    )


def _data_set_methods(result: Result) -> str:
    settings = result["data_set"]
    return (
        f"Images were rated under the protocol “{result['protocol']['title']}”; real images have the "
        f"score {settings['real_score']}. Pairs are two images of one prompt with scores below 3 or above "
        "7: of a low and a high image, the high one is preferred; two low or two high images are a tie. In "
        f"each split, as many ties as preferences are drawn with the seed {settings['seed']}, spread over "
        "prompts; the more pairs a prompt has, the less each weighs. Each prompt is in one split, by the "
        "SHA-256 of seed and prompt unless a lead named the split."
    )


def _across_methods(result: Result) -> str:
    return (
        f"Images annotated under the protocol “{result['protocol']['title']}” were also annotated under "
        "others; several annotations of an image were averaged. Two headlines are related by Spearman's rank "
        "correlation, with 95% intervals from resampling whole images."
    )


def _correlates(row: Mapping[str, Any], result: Result) -> Finding:
    rho, images = row["rho"], f"{row['images']:,} images"
    what = f"{result['protocol']['headline']} and {row['other']}"
    if rho["low"] is None:
        return Finding("refused", _no_correlation(row, result, what))
    if rho["low"] <= 0 <= rho["high"]:
        text = f"{what}: no clear relation over {images}: rank correlation {with_interval(rho)}."
        return Finding("open", text)
    way = "rise together" if rho["low"] > 0 else "run against each other"
    split = "ranked well under one and badly under the other"
    apart = f"; {_images(row['apart'])} {split}" if row["apart"] else ""
    text = f"{what} {way} over {images}: rank correlation {with_interval(rho)}{apart}."
    return Finding("clear", text)


def _no_correlation(row: Mapping[str, Any], result: Result, what: str) -> str:
    """Return why the rank correlation of two headlines has no interval."""
    rho, images = row["rho"], row["images"]
    known = "" if rho["value"] is None else f" of {rounded(rho['value'], PLACES)}"
    if not (rho["refused"] or "").startswith(TOO_FEW):
        return f"{what}: no interval for the rank correlation{known}: {rho['refused']}."
    of = f" with {row['other']}" if len(result["across"]) > 1 else ""
    few = f"{images:,} image{' is' if images == 1 else 's are'} too few"
    return f"{few} for an interval on the rank correlation{known}{of}."


def _separates(row: Mapping[str, Any], result: Result) -> Finding:
    gap, images = row["difference"], f"{row['images']:,} images"
    titles = [result["stages"][name]["headline"].lower() for name in SIDES]
    if gap["value"] is None:
        why = gap["refused"]
        return Finding("refused", f"The separation of generators cannot be compared: {why}.")
    one, other = (rounded(row[name]["value"], PLACES) for name in SIDES)
    values = f"η² is {one} by {titles[0]} and {other} by {titles[1]}"
    if gap["low"] is None:
        why = gap["refused"]
        text = f"Over the same {images}, {values}; the difference has no interval because {why}."
        return Finding("note", text)
    told = f"the difference is {with_interval(gap)}"
    if gap["low"] <= 0 <= gap["high"]:
        text = f"Neither stage separates generators significantly better: over the same {images}, {values}; "
        return Finding("open", f"{text}{told}.")
    better = titles[gap["value"] > 0]
    sentence = f"{better.capitalize()} separates generators better: over the same {images}, {values}; {told}."
    return Finding("clear", sentence)


def _kept(row: Mapping[str, Any], _: Result) -> Finding:
    marked = row["both"] + row["first_only"]
    more = f"stage 2 added {row['second_only']:,} marks"
    if not marked:
        return Finding("note", f"Stage 1 has no marks on images annotated in both stages; {more}.")
    share = f"{row['both']:,} ({percent(row['kept'])}%)"
    return Finding("note", f"Stage 2 confirmed {share} of {marked:,} stage 1 marks; {more}.")


def _missed(row: Mapping[str, Any], result: Result) -> Finding:
    if row["judged"]:
        rate = row["rate"]
        low, high = (percent(rate[end]) for end in ("low", "high"))
        seen = (
            f"Of {_images(row['judged'])} without marks in stage 1, {row['found']:,} had an error in stage "
            f"2: a miss rate of {percent(rate['value'])}% [{low}, {high}]"
        )
    else:
        seen = "The miss rate is not known: stage 2 includes no image without marks in stage 1"
    if not row["left_out"]:
        return Finding("note", f"{seen}.")
    without = f"{_images(row['left_out'])} without marks left out of stage 2"
    if result["settings"]["unmarked_as_zero"]:
        return Finding("note", f"{seen}. Counted as 0 in stage 2, as requested: {without}.")
    return Finding("note", f"{seen}. Not counted: {without}; an image without marks may have errors.")


def _images(count: int) -> str:
    return "1 image" if count == 1 else f"{count:,} images"


def _outweighed(row: Mapping[str, Any], _: Result) -> Finding:
    return Finding(
        "note",
        f"Not counted: {_images(row['count'])} not drawn for stage 2, while every image left out counts as "
        "0. Images without errors are therefore overrepresented.",
    )


SENTENCES: Final[Mapping[str, Callable[[Mapping[str, Any], Result], Finding]]] = {
    "separates": _separates,
    "kept": _kept,
    "missed": _missed,
    "outweighed": _outweighed,
    "correlates": _correlates,
    **AGREEMENT,
    **COMPARISON,
    **SUGGESTIONS,
}
