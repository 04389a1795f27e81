"""Exports, generated while they are sent. For leads."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Final, Literal

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Field, Query, Router
from pydantic import BeforeValidator

from analysis.api.annotations import Purpose
from analysis.api.refusals import REFUSALS, ApiRefused, Error, Invalid, Missing
from analysis.api.requests import PLAIN, About, person, protocol_asked_for
from analysis.data.ratings_table import shown_from
from analysis.exports.filters import Filters, left_out
from analysis.exports.formats import FORMATS
from analysis.exports.registry import layouts_of
from analysis.exports.requests import ExportRequest, annotations_read, record_export, require_possible
from analysis.web.views.exports import AT_ONCE, streamed
from annotator.database.transactions import write_transaction
from annotator.models import Project
from annotator.people.access import project_as_lead
from scoring.prompts import LONGEST_PROMPT

router: Final = Router(tags=["Exports"])

MOST_NAMES: Final = 500
STREAMED: Final = {slug: form for slug, form in FORMATS.items() if not form.by_worker}
"""The formats that a web process can generate."""


def _day(given: object) -> object:
    """Accept a date in ISO 8601 form only; pydantic would accept numbers and times too."""
    if isinstance(given, str) and not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", given):
        raise ValueError("write the date as 2026-03-31")
    return given


Day = Annotated[date | None, BeforeValidator(_day)]
Names = Annotated[
    list[Annotated[str, Field(max_length=LONGEST_PROMPT, pattern=PLAIN)]], Field(max_length=MOST_NAMES)
]


class ExportChoice(About):
    """The content of a file; by default all submitted annotations."""

    batch: Names = Field([], description="Names of the batches to include; default all.")
    generator: Names = Field([], description="Generators to include; default all.")
    prompt: Names = Field([], description="Prompts to include; default all.")
    annotator: Names = Field([], description="Codes of the annotators to include; default all.")
    since: Day = Field(None, description="First date of submission, in UTC.")
    until: Day = Field(None, description="Last date of submission, in UTC, inclusive.")
    purpose: Purpose = Field("work", description="Purpose of the annotations; default what counts.")
    pseudonyms: bool = Field(False, description="Pseudonyms instead of annotators' codes.")
    header: Literal["published", "tidy"] = Field(
        "published", description="Column names: as in the published study, or tidy, such as `missing_torso`."
    )


@router.get(
    "/projects/{slug:slug}/exports/{slug:layout}.{slug:form}",
    response={200: None, frozenset({409, 413}): Error, **REFUSALS},
    url_name="export",
    openapi_extra={
        "responses": {
            200: {
                "content": {
                    form.content_type.split(";")[0]: {"schema": {"type": "string", "format": "binary"}}
                    for form in STREAMED.values()
                }
            }
        }
    },
)
def read_export(
    request: HttpRequest, slug: str, layout: str, form: str, asked: Query[ExportChoice]
) -> StreamingHttpResponse:
    """Download an export as `csv`, of at most 20,000 annotations.

    A file holds the annotations of one protocol in one of its layouts; docs/reference/data-formats.md
    describes every column. The headers `Anatomark-Protocol` and `Anatomark-Left-Out` name the protocol and
    what is left out, `Anatomark-Empty` says why `pairs` has no rows.
    """
    user = person(request)
    project = project_as_lead(user, slug)
    protocol = protocol_asked_for(project, asked.protocol)
    if layout not in (layouts := layouts_of(protocol)):
        raise Missing(f"Unknown layout. Layouts of the protocol {protocol}: {', '.join(layouts)}.")
    if form not in STREAMED:
        raise Missing(f"Formats by API: {', '.join(STREAMED)}. Others are on the project's page Exports.")
    filters = _filters(project, asked)
    wanted = ExportRequest(layout, form, filters, asked.pseudonyms, protocol, asked.header)
    if problems := wanted.problems():
        raise Invalid({name: [words] for name, words in problems.items()})
    require_possible(project)
    if (count := annotations_read(project, wanted)) > AT_ONCE:
        raise ApiRefused(
            413,
            "too_large",
            f"{count:,} annotations exceed the limit of {AT_ONCE:,}. Narrow them, by batch for example, or "
            f"prepare the file on the project's page Exports.",
        )
    with write_transaction():
        record_export(project=project, request=wanted, actor=user)
    headers, source = {"Anatomark-Protocol": protocol}, shown_from(project, protocol)
    if source != protocol:
        headers["Anatomark-Shown-From"] = source
    # As far as it is known in advance.
    if counts := left_out(project, filters, source):
        headers["Anatomark-Left-Out"] = ", ".join(f"{name}={count}" for name, count in counts.items())
    return streamed(project, wanted, headers)


def _filters(project: Project, asked: ExportChoice) -> Filters:
    """Return the filters; raise Invalid for a name unknown in the project."""
    if asked.since and asked.until and asked.since > asked.until:
        raise Invalid({"until": ["The last date is before the first."]})
    images = project.images.order_by().distinct()
    rows: dict[str, Any] = {
        "batch": project.batches.filter(name__in=asked.batch).values_list("name", "pk"),
        "generator": images.filter(generator__in=asked.generator).values_list("generator", "generator"),
        "prompt": images.filter(prompt__in=asked.prompt).values_list("prompt", "prompt"),
        "annotator": project.memberships.filter(code__in=asked.annotator).values_list("code", "pk"),
    }
    chosen: dict[str, tuple[Any, ...]] = {}
    for field, known in rows.items():
        names = getattr(asked, field)
        keys = dict(known) if names else {}
        if missing := [name for name in names if name not in keys]:
            raise Invalid({field: [f"This project has no {field} “{name}”." for name in missing[:20]]})
        chosen[field] = tuple(keys[name] for name in names)
    return Filters(
        batches=chosen["batch"],
        generators=chosen["generator"],
        prompts=chosen["prompt"],
        annotators=chosen["annotator"],
        since=asked.since,
        until=asked.until,
        purpose=asked.purpose,
    )
