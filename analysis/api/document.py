"""The OpenAPI document of the API, and the page that people read it on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from analysis.api.api import api
from analysis.api.refusals import ROOT, TOLD
from analysis.exports.layouts import layouts_of
from scoring import service

Facts = dict[str, Any]

METHODS: Final = ("get", "post")
REFERENCE: Final = "#/components/schemas/"
PATH_WORDS: Final[Mapping[str, str]] = {
    "slug": "The project.",
    "image": "The image's id.",
    "batch": "The batch's id.",
    "assignment": "The assignment's id.",
    "annotation": "The annotation's id.",
    "kind": "`agreement`, `comparison` or `annotators`.",
    "report": "The report's id.",
    "job": "The job's id.",
    "form": "`csv` or `jsonl`.",
}


@dataclass(frozen=True)
class Line:
    """One parameter of an operation, or one field of what is sent or told."""

    name: str
    kind: str
    schema: str
    required: bool
    words: str


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked for; `sent` and `told` name schemas, empty where there are none."""

    method: str
    path: str
    slug: str
    summary: str
    words: list[str]
    parameters: list[Line]
    sent: str
    told: str
    status: str


@dataclass(frozen=True)
class Section:
    """Operations about one kind of thing."""

    title: str
    operations: list[Operation]


@dataclass(frozen=True)
class Shape:
    """One kind of thing as it is sent or told."""

    name: str
    words: str
    lines: list[Line]


@cache
def document() -> Facts:
    """Return the OpenAPI document; made once in the life of a process, because it never changes."""
    made: Facts = dict(api.get_openapi_schema(path_prefix=ROOT.lstrip("/")))
    words = {**PATH_WORDS, "layout": _layouts()}
    for _, operation in _operations(made):
        operation["summary"], operation["description"] = _first_sentence(operation.get("description", ""))
        for parameter in operation["parameters"]:
            if parameter["in"] == "path":
                parameter.setdefault("description", words[parameter["name"]])
        for status, answer in operation["responses"].items():
            if int(status) in TOLD:
                answer["description"] = TOLD[int(status)][1]
    return made


def _layouts() -> str:
    """Return which layouts each protocol has."""
    return " ".join(
        f"Of {slug}: {', '.join(f'`{layout}`' for layout in layouts_of(slug))}." for slug in service.PROTOCOLS
    )


@require_safe
def openapi(_: HttpRequest) -> HttpResponse:
    """Send the document that programs read; it holds nobody's data, so everybody may have it."""
    return JsonResponse(document(), json_dumps_params={"ensure_ascii": False})


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Show the document as a page."""
    context = {
        "rules": rules(),
        "sections": sections(),
        "shapes": shapes(),
        "site": f"{request.scheme}://{request.get_host()}",
        "root": ROOT,
    }
    return render(request, "analysis/api.html", context)


@cache
def rules() -> list[tuple[str, str]]:
    """Return what holds for every operation, each with its title."""
    _, *points = api.description.replace("`", "").split("- **")
    parted = (one.partition("**") for one in points)
    return [(title.rstrip("."), " ".join(words.split())) for title, _, words in parted]


@cache
def sections() -> list[Section]:
    """Return the operations by what they are about."""
    found: dict[str, list[Operation]] = {}
    for path, method, operation in _by_path(document()):
        found.setdefault(operation["tags"][0], []).append(_operation(path, method, operation))
    return [Section(title, operations) for title, operations in found.items()]


@cache
def shapes() -> list[Shape]:
    """Return what is sent and told, by name."""
    known = document()["components"]["schemas"]
    return [
        Shape(name, _plain(one.get("description", "")), list(_fields(one)))
        for name, one in sorted(known.items())
    ]


def _operation(path: str, method: str, operation: Facts) -> Operation:
    status, answer = next(
        (status, one) for status, one in operation["responses"].items() if int(status) < 300
    )
    sent = operation.get("requestBody", {}).get("content", {})
    return Operation(
        method=method.upper(),
        path=path,
        slug=operation["operationId"],
        summary=_plain(operation["summary"]),
        words=[_plain(part) for part in operation["description"].split("\n\n") if part],
        parameters=[_parameter(one) for one in operation["parameters"]],
        sent=_named(next(iter(sent.values()))["schema"]) if sent else "",
        told=_told(answer),
        status=str(status),
    )


def _told(answer: Facts) -> str:
    content: Facts = answer.get("content", {})
    return _named(content["application/json"]["schema"]) if "application/json" in content else ""


def _parameter(one: Facts) -> Line:
    # An address cannot say null: what need not be there is left out.
    kind = _kind(one["schema"]).removesuffix(" or null")
    return Line(one["name"], kind, "", one["required"], _plain(one.get("description", "")))


def _fields(shape: Facts) -> Iterator[Line]:
    required = set(shape.get("required", ()))
    for name, one in shape.get("properties", {}).items():
        words = _plain(one.get("description", ""))
        yield Line(name, _kind(one), _named(one), name in required, words)


def _plain(words: str) -> str:
    """Return a description as the page has it: on one line, without the marks of Markdown."""
    return " ".join(words.replace("`", "").split())


def _kind(schema: Facts) -> str:
    """Return a type in words: `text or null`, `list of Project`."""
    if "$ref" in schema:
        return _named(schema)
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    return WORDS.get(schema.get("format", ""), WORDS.get(schema.get("type", ""), "anything"))


WORDS: Final[Mapping[str, str]] = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
    "uuid": "UUID",
    "date": "day",
    "date-time": "time",
}


def _named(schema: Facts) -> str:
    """Return the name of the schema that one refers to, itself or in its items; empty where to none."""
    for one in (schema, schema.get("items", {}), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        if "$ref" in one:
            return str(one["$ref"]).removeprefix(REFERENCE)
    return ""


def _first_sentence(words: str) -> tuple[str, str]:
    """Return what stands in a list, and what comes behind it."""
    first, _, rest = words.strip().partition(".")
    return " ".join(first.split()) + ".", "\n".join(line.strip() for line in rest.strip().splitlines())


def _by_path(made: Facts) -> Iterator[tuple[str, str, Facts]]:
    for path, methods in made["paths"].items():
        for method in METHODS:
            if method in methods:
                yield path, method, methods[method]


def _operations(made: Facts) -> Iterator[tuple[str, Facts]]:
    for path, _, operation in _by_path(made):
        yield path, operation
