"""The OpenAPI document of the API, and its documentation page."""

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
from analysis.exports.registry import layouts_of
from scoring import service

Facts = dict[str, Any]

METHODS: Final = ("get", "post")
REFERENCE: Final = "#/components/schemas/"
PATH_WORDS: Final[Mapping[str, str]] = {
    "slug": "The project.",
    "image": "The image id.",
    "batch": "The batch id.",
    "assignment": "The assignment id.",
    "annotation": "The annotation id.",
    "kind": (
        "`agreement`, `comparison`, `annotators`, `ranking`, `stages` or `across`; for leads also "
        "`quality` or `data_set`."
    ),
    "report": "The report id.",
    "question": "The question id.",
    "job": "The job id.",
    "form": "`csv` or `jsonl`.",
}


@dataclass(frozen=True)
class Line:
    """One parameter of an operation, or one field of a schema."""

    name: str
    kind: str
    schema: str
    required: bool
    words: str


@dataclass(frozen=True)
class Operation:
    """One operation; `sent` and `told` name the request and response schemas, empty if there are none."""

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
class ApiSection:
    """The operations of one tag."""

    title: str
    operations: list[Operation]


@dataclass(frozen=True)
class Shape:
    """One request or response schema."""

    name: str
    words: str
    lines: list[Line]


@cache
def document() -> Facts:
    """Return the OpenAPI document; built once per process because it never changes."""
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
    """Return the layouts of each protocol as text."""
    return " ".join(
        f"{slug}: {', '.join(f'`{layout}`' for layout in layouts_of(slug))}." for slug in service.PROTOCOLS
    )


@require_safe
def openapi(_: HttpRequest) -> HttpResponse:
    """Send the OpenAPI document; it is public because it holds no project data."""
    return JsonResponse(document(), json_dumps_params={"ensure_ascii": False})


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Show the API documentation page."""
    context = {
        "rules": rules(),
        "sections": sections(),
        "shapes": shapes(),
        "site": f"{request.scheme}://{request.get_host()}",
        "root": ROOT,
    }
    return render(request, "analysis/exports/api.html", context)


@cache
def rules() -> list[tuple[str, str]]:
    """Return the rules for all operations, each with its title."""
    _, *points = api.description.replace("`", "").split("- **")
    parted = (one.partition("**") for one in points)
    return [(title.rstrip("."), " ".join(words.split())) for title, _, words in parted]


@cache
def sections() -> list[ApiSection]:
    """Return the operations grouped by tag."""
    found: dict[str, list[Operation]] = {}
    for path, method, operation in _by_path(document()):
        found.setdefault(operation["tags"][0], []).append(_operation(path, method, operation))
    return [ApiSection(title, operations) for title, operations in found.items()]


@cache
def shapes() -> list[Shape]:
    """Return the request and response schemas by name."""
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
        told=_response_text(answer),
        status=str(status),
    )


def _response_text(answer: Facts) -> str:
    content: Facts = answer.get("content", {})
    return _named(content["application/json"]["schema"]) if "application/json" in content else ""


def _parameter(one: Facts) -> Line:
    # A URL cannot express null; optional parameters are omitted instead.
    kind = _kind(one["schema"]).removesuffix(" or null")
    return Line(one["name"], kind, "", one["required"], _plain(one.get("description", "")))


def _fields(shape: Facts) -> Iterator[Line]:
    required = set(shape.get("required", ()))
    for name, one in shape.get("properties", {}).items():
        words = _plain(one.get("description", ""))
        yield Line(name, _kind(one), _named(one), name in required, words)


def _plain(words: str) -> str:
    """Return a description on one line, without Markdown."""
    return " ".join(words.replace("`", "").split())


def _kind(schema: Facts) -> str:
    """Return the type name to display: `text or null`, `list of Project`."""
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
    """Return the name of the schema that this one, or its items, refers to; empty if none."""
    for one in (schema, schema.get("items", {}), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        if "$ref" in one:
            return str(one["$ref"]).removeprefix(REFERENCE)
    return ""


def _first_sentence(words: str) -> tuple[str, str]:
    """Return the first sentence and the rest."""
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
