"""Suggestion runs, sent in chunks. For leads."""

from typing import Any, Final, Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema

from analysis.api.refusals import REFUSALS, ApiRefused, Error, Invalid
from analysis.api.requests import PLAIN, person
from annotator.exchange.suggestion_rows import LONGEST_SOURCE, check_suggested
from annotator.people.access import project_as_lead
from annotator.suggestions.runs import SuggestionsRefused, store_run

MOST_ROWS: Final = 1000
LISTED: Final = 100
router: Final = Router(tags=["Suggestions"])


class Run(Schema):
    """Rows of a run. Kind, source and version are its key; further calls add rows until a batch shows it."""

    kind: Literal["counts", "masks", "reference", "description"] = "counts"
    source: str = Field(min_length=1, max_length=LONGEST_SOURCE, pattern=PLAIN)
    source_version: str = Field("", max_length=LONGEST_SOURCE, pattern=PLAIN)
    settings_text: str = Field("", max_length=2000, pattern=PLAIN)
    rows: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=MOST_ROWS,
        description="`file` or `sha256`, and of counts `people` and `visible` by body part, of masks `masks` "
        "with run lengths and kinds, of references `made_from` and `description`, of descriptions to rate "
        "`model`, `defective` and `description`.",
        examples=[[{"file": "a.png", "people": 3, "visible": {"hands": 6}}]],
    )


class Stored(Schema):
    """What became of the rows."""

    run: int
    stored: int = Field(description="Rows that were not there before.")
    rows: int = Field(description="Rows of the run by now.")


@router.post(
    "/projects/{slug:slug}/suggestion-runs",
    response={200: Stored, 409: Error, **REFUSALS},
    url_name="suggestion_runs",
)
def add_rows(request: HttpRequest, slug: str, sent: Run) -> dict[str, int]:
    """Store all rows of a call or none. Sending the same rows again changes nothing; leads only."""
    user = person(request)
    project = project_as_lead(user, slug)
    checked = check_suggested(sent.rows, project, kind=sent.kind)
    if checked.refused:
        notes = checked.refused[:LISTED]
        raise Invalid({f"rows.{(each.row or 1) - 1}": [f"{each.column}: {each.reason}"] for each in notes})
    try:
        run, new = store_run(
            project=project,
            actor=user,
            source=sent.source.strip(),
            source_version=sent.source_version.strip(),
            settings_text=sent.settings_text,
            adds=True,
            **checked.found,
        )
    except SuggestionsRefused as refused:
        raise ApiRefused(409, refused.code, str(refused)) from refused
    return {"run": run.pk, "stored": new, "rows": run.suggestions.count()}
