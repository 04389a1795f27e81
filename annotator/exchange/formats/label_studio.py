"""JSON exports of Label Studio: a project with one text field for each of the 25 cells."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from annotator.exchange.formats.budget import MOST_VALUES
from annotator.exchange.formats.csv_tables import CsvTable, Record, too_long
from annotator.exchange.formats.names import file_stem, normal_form, storable, without_upload_prefix
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import Sheet, sheet_of
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS

_CELL_BY_NAME: Final = {
    normal_form(name): cell.heading
    for cell in CELLS
    for name in (cell.heading, cell.key, f"{cell.heading.split('-')[1]}", f"{cell.key} {cell.key}")
}
# The names of identifying columns in tasks.
_FACTS: Final = {
    "Image Id": ("Image Id", "id of image"),
    "Model": ("Model", "generator"),
    "Prompt": ("Prompt",),
    "Pic Num.": ("Pic Num.", "number", "picture number"),
}
_KINDS: Final = ("textarea",)

_Said = tuple[dict[str, str], str]
"""A task's data about its image, and the name of its file."""


def read_label_studio(path: Path, contents: str, people: Mapping[str, str]) -> Sheet:
    """Return the annotations of an export, numbered from 1 in file order.

    `people` maps `completed_by` to codes; unmapped values become codes. Raises StudyRefused for other files.
    """
    tasks = _tasks(path, contents)
    notes: list[RowNote] = []
    skipped: list[RowNote] = []
    records: list[Record] = []
    for number, (task, said, answer) in enumerate(_answers(tasks), start=1):
        if answer.get("was_cancelled"):
            reason = "skipped in Label Studio: no annotation"
            skipped.append(RowNote(number, "", storable(f"task {task.get('id', '')}"[:60]), reason))
        else:
            records.append(_record(number, said, answer, people, notes))
    if not records:
        raise StudyRefused(f"{path.name} has no annotations. Export it as JSON or JSON-MIN after annotating.")
    if not any(record.values[cell.heading] for record in records for cell in CELLS) and notes:
        raise StudyRefused(f"{path.name}: no field is named after a cell (one is {notes[0].column}).")
    sheet = sheet_of(CsvTable(path.name, tuple(records), (), tuple(notes)))
    return Sheet(
        sheet.name,
        sheet.rows,
        (*sheet.refused, *skipped),
        sheet.rejected_terms,
        sheet.warnings,
        sheet.remarks,
    )


def people_by_id(text: str) -> dict[str, str]:
    """Parse codes by Label Studio id, written `3=A,7=B`. Raises ValueError."""
    pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
    if not all(number.strip() and equals and code.strip() for number, equals, code in pairs):
        raise ValueError("Enter pairs such as 3=A,7=B.")
    return {number.strip(): code.strip() for number, _, code in pairs}


def _tasks(path: Path, contents: str) -> list[dict[str, Any]]:
    values = contents.count(",") + contents.count("[") + contents.count("{")
    if values > MOST_VALUES:
        raise StudyRefused(
            f"{path.name} has about {values:,} values; at most {MOST_VALUES:,} are read. "
            "Export the tasks in parts.",
            code="too_many_values",
        )
    try:
        tasks = json.loads(contents)
    except (ValueError, RecursionError) as error:
        raise StudyRefused(f"{path.name} is not valid JSON: {str(error)[:100]}.") from error
    listed = isinstance(tasks, list) and all(isinstance(task, dict) for task in tasks)
    if listed and tasks and all("annotation_id" in task and "annotations" not in task for task in tasks):
        return [_whole(task) for task in tasks]
    if not listed or not any(isinstance(task.get("annotations"), list) for task in tasks):
        raise StudyRefused(
            f"{path.name} is not a JSON export of Label Studio: a list of tasks with annotations."
        )
    found: list[dict[str, Any]] = tasks
    return found


def _whole(flat: dict[str, Any]) -> dict[str, Any]:
    """Convert a JSON-MIN task, with data and fields merged, to the shape of JSON."""
    fields = {name: value for name, value in flat.items() if normal_form(name) in _CELL_BY_NAME}
    results = [
        {
            "from_name": name,
            "type": "textarea",
            "value": value if isinstance(value, dict) else {"text": value},
        }
        for name, value in fields.items()
    ]
    data = {name: value for name, value in flat.items() if name not in fields}
    answer = {"id": flat["annotation_id"], "completed_by": flat.get("annotator"), "result": results}
    return {"id": flat.get("id"), "data": data, "annotations": [answer]}


def _answers(tasks: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], _Said, dict[str, Any]]]:
    """Yield each annotation with its task and the task's data about the image."""
    for task in tasks:
        answers = task.get("annotations")
        said = _facts(task)
        for answer in answers if isinstance(answers, list) else ():
            if isinstance(answer, dict):
                yield task, said, answer


def _record(
    number: int,
    said: _Said,
    answer: Mapping[str, Any],
    people: Mapping[str, str],
    notes: list[RowNote],
) -> Record:
    facts, picture = said
    values = {**dict.fromkeys(SHEET_COLUMNS, ""), **facts}
    cells: dict[str, list[str]] = {}
    author = _author(answer.get("completed_by"))
    values["Annotator"] = people.get(author, author)
    results = answer.get("result")
    for result in results if isinstance(results, list) else ():
        name = str(result.get("from_name", "")) if isinstance(result, dict) else ""
        texts = _texts(result)
        heading = _CELL_BY_NAME.get(normal_form(name))
        if heading is None or texts is None:
            reason = "not a text field of one of the 25 cells; its values are ignored"
            notes.append(RowNote(number, storable(name[:60]), storable(",".join(texts or ())[:60]), reason))
        else:
            cells.setdefault(heading, []).extend(texts)
    values |= {heading: ",".join(texts) for heading, texts in cells.items()}
    column, problem = too_long(values)
    kept = {heading: storable(value) for heading, value in values.items()}
    return Record(number, kept, problem, column, picture=storable(picture))


def _facts(task: Mapping[str, Any]) -> _Said:
    """Return a task's data about its image, and the name of its file."""
    data = task.get("data")
    given = data if isinstance(data, dict) else {}
    said = {normal_form(str(name)): str(value) for name, value in given.items() if _plain(value)}
    facts = {
        heading: next((said[normal_form(name)] for name in names if normal_form(name) in said), "")
        for heading, names in _FACTS.items()
    }
    addresses = [said[name] for name in ("image", "img", "url") if name in said]
    addresses += [value for value in said.values() if "/data/upload/" in value]
    picture = _file_name(addresses[0]) if addresses else str(task.get("file_upload") or "")
    named = facts["Image Id"] or file_stem(without_upload_prefix(picture))
    return facts | {"Image Id": named}, picture or facts["Image Id"]


def _plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _file_name(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return PurePosixPath(unquote(address)).name
    # Local files are given after a question mark.
    return PurePosixPath(parse_qs(parts.query).get("d", [unquote(parts.path)])[0]).name


def _author(completed_by: object) -> str:
    # The export names annotators by number, or by an object with their email address, which is no code.
    if isinstance(completed_by, dict):
        completed_by = completed_by.get("id")
    return str(completed_by) if _plain(completed_by) else ""


def _texts(result: object) -> list[str] | None:
    if not isinstance(result, dict) or result.get("type") not in _KINDS:
        return None
    value = result.get("value")
    texts = value.get("text") if isinstance(value, dict) else None
    listed = [texts] if isinstance(texts, str) else texts
    if not isinstance(listed, list):
        return None
    return [str(text).strip() for text in listed if _plain(text) and str(text).strip()]
