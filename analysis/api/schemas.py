"""What the API tells: one class for every kind of thing, as it stands in the OpenAPI document.

What an annotator is told of an image (`ImageToJudge`) has no place for what could sway a judgement.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field

NAMED = Field(
    None,
    description="The protocol it is about; left out while the project has no other one than `anatomy`.",
    examples=["anatomy"],
)


Item = TypeVar("Item")


class Page(BaseModel, Generic[Item]):
    """A page of a list."""

    items: list[Item]
    next: str | None = Field(
        description="What to give as `after` for the page behind this one; null at the end."
    )


class Counts(BaseModel):
    """How large a project is and how far it has come."""

    images: int
    assignments: int
    done: int


class Project(BaseModel):
    """A project of yours, and what you are in it."""

    slug: str = Field(description="How addresses name the project.", examples=["pilot"])
    name: str
    role: str = Field(description="`lead`, `annotator` or `reviewer`.")
    code: str = Field(description="The name under which you stand in the data.")
    owed: int = Field(description="How many images are yours to judge.")
    waiting: int = Field(description="How many of them are still open.")


class ProjectDetails(Project):
    """One project; the numbers are for its leads."""

    weights: dict[str, str] | None = Field(description="Severity weights, as exact decimals; leads only.")
    counts: Counts | None = Field(description="Leads only.")


class Projects(Page[Project]):
    """A page of projects."""


class Image(BaseModel):
    """An image of a project, as its leads know it."""

    id: UUID
    generator: str
    prompt: str
    prompt_group: str
    number: int | None
    source_name: str = Field(description="The name of the file it came in.")
    sha256: str
    format: str
    width: int
    height: int
    attributes: dict[str, Any] = Field(description="Free columns of the manifest it came with.")
    display_state: str = Field(description="How far the copy for display is: `pending`, `ready` or `failed`.")
    created_at: datetime
    picture: str = Field(description="Where the picture itself is.")


class Rating(BaseModel):
    """One number derived from an answer at its submission."""

    variable: str = Field(examples=["cell_score"])
    component: str = Field(description="Of what: a cell, or empty for the whole image.")
    value: str = Field(description="The exact number as a fraction.", examples=["1/4"])
    number: float = Field(description="The nearest 64-bit float.")


class Adjudicated(BaseModel):
    """The value that a lead has settled for an image; it takes the place of the mean where images count."""

    protocol: str | None = NAMED
    version: int
    payload: dict[str, Any] = Field(description="What was settled, in the form of an answer.")
    ratings: list[Rating]
    settled_from: list[int] = Field(description="The ids of the annotations that were looked at.")
    outdated: bool = Field(description="Whether an annotation came, went or changed since.")
    note: str
    decided_by: str = Field(description="The code of the lead who settled it.")
    decided_at: datetime


class ImageDetails(Image):
    """An image, and what was settled for it."""

    adjudicated: Adjudicated | None = Field(description="Null where nothing is settled.")


class Images(Page[Image]):
    """A page of images."""


class ImageToJudge(BaseModel):
    """An image as its annotator knows it: nothing that could sway the judgement."""

    id: UUID
    width: int
    height: int
    picture: str = Field(description="Where the picture itself is.")


SEEN = (
    "Whether those who answered saw the prompt: `shown`, `hidden`, `varied` (for part of the time), or "
    "`unknown` of imported answers of which nobody has said."
)


class Batch(BaseModel):
    """Images released to named annotators under one protocol."""

    id: int
    name: str
    status: str = Field(description="`preparing`, `open` or `closed`.")
    protocol: str
    overlap: str = Field(description="Share of the images that several people judge, as an exact decimal.")
    coders: int
    seed: int | None
    show_prompt: bool
    show_generator: bool
    prompt_seen: str = Field(description=SEEN)
    generator_seen: str = Field(description="The same of the generator.")
    guided: bool
    score_shown: str
    settings: dict[str, Any] | None = Field(
        None, description="What its protocol lets a lead set beside these; left out where nothing is set."
    )
    created_at: datetime
    images: int
    people: int
    owed: int = Field(description="Assignments that were not withdrawn.")
    done: int = Field(description="Those of them that are submitted or skipped.")


class Batches(Page[Batch]):
    """A page of batches, the latest first."""


class Person(BaseModel):
    """A member of a project."""

    id: int
    code: str
    role: str
    account: str | None = Field(description="Null for somebody of an import whom nobody has become yet.")
    is_active: bool
    owed: int
    done: int
    begun: int


class People(Page[Person]):
    """A page of people."""


class Assignment(BaseModel):
    """One annotator owes one annotation of one image."""

    id: int
    batch: int
    protocol: str | None = NAMED
    image: UUID
    annotator: str = Field(description="The annotator's code.")
    position: int | None = Field(description="The place in the annotator's batch; null once withdrawn.")
    status: str = Field(description="`open`, `done`, `skipped` or `withdrawn`.")
    annotation: int | None = Field(description="The annotation's id; null where nobody has begun.")
    created_at: datetime


class Assignments(Page[Assignment]):
    """A page of assignments."""


class BatchName(BaseModel):
    """A batch as an annotator knows it."""

    id: int
    name: str
    status: str


class Task(BaseModel):
    """An image that is yours to judge. Prompt and generator are null unless the batch shows them."""

    id: int = Field(description="The assignment's id.")
    batch: BatchName
    protocol: str | None = NAMED
    position: int | None
    status: str = Field(description="`open`, `done`, `skipped` or `withdrawn`.")
    version: int = Field(description="The version of your answer, 0 where there is none yet.")
    answer: str | None = Field(
        description="`draft`, `submitted` or `reopened`; null where there is none yet."
    )
    image: ImageToJudge
    prompt: str | None
    generator: str | None


class Queue(Page[Task]):
    """A page of your queue, in your order."""


class Remark(BaseModel):
    """Something in an answer that is allowed and looks like a slip."""

    field: str
    code: str
    message: str


class TaskDetails(Task):
    """An image that is yours to judge, with your answer as it stands."""

    annotation: int | None = Field(
        description="The answer's id as an annotation; null where there is none yet."
    )
    payload: dict[str, Any] = Field(description="The answer; an empty one where there is none yet.")
    warnings: list[Remark]
    saved_at: datetime | None
    barred: str | None = Field(
        description="Why it takes no changes: `closed`, `withdrawn`, `deleted`, or null."
    )
    request: str | None = Field(description="What a lead gave as the reason for reopening it.")


class Annotation(BaseModel):
    """An answer, without what it says."""

    id: int
    assignment: int
    batch: int
    protocol: str | None = NAMED
    image: UUID
    annotator: str = Field(description="The annotator's code.")
    status: str = Field(description="`draft`, `submitted` or `reopened`.")
    version: int
    flagged: bool = Field(description="Whether the annotator had doubts about the image.")
    created_at: datetime
    saved_at: datetime
    submitted_at: datetime | None


class Annotations(Page[Annotation]):
    """A page of annotations."""


class AnnotationDetails(Annotation):
    """An answer and what it says; ratings and purpose are for leads, as on the pages."""

    payload: dict[str, Any]
    warnings: list[Remark]
    ratings: list[Rating] | None
    purpose: str | None = Field(None, description="What the answer is for, where it is not `work`.")


class SavedAnswer(BaseModel):
    """How an answer stands after a change."""

    annotation: int
    version: int = Field(description="The version to name in the next change.")
    status: str
    payload: dict[str, Any]
    warnings: list[Remark]
    saved_at: datetime
    submitted_at: datetime | None


class Job(BaseModel):
    """Work that takes longer than a request."""

    id: int
    project: str
    kind: str
    protocol: str | None = NAMED
    title: str
    status: str = Field(description="`queued`, `running`, `done`, `failed` or `cancelled`.")
    progress: int = Field(description="Percent.")
    error: str = Field(description="Why it failed, in words; otherwise empty.")
    words: str = Field(description="What came out, in words; otherwise empty.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    file: str | None = Field(description="Where the file of a finished export is, until it expires.")
    expires_at: datetime | None


class Jobs(Page[Job]):
    """A page of jobs, the latest first."""


class ReportFacts(BaseModel):
    """A finished computation, without its numbers."""

    id: int
    kind: str
    protocol: str | None = NAMED
    computed_at: datetime
    annotations: int = Field(description="How many annotations it is about.")
    code_version: str
    input_digest: str
    kept: bool


class Reports(Page[ReportFacts]):
    """A page of finished reports, the newest first."""


class Report(ReportFacts):
    """A finished computation; the same numbers for ever under the same id."""

    result: dict[str, Any] = Field(description="As described in docs/reference/statistics.md.")


class ReportRequest(BaseModel):
    """A computation that was asked for last."""

    status: str = Field(description="`queued`, `running`, `done`, `failed` or `cancelled`.")
    progress: int = Field(description="Percent.")
    error: str
    created_at: datetime


class ReportStanding(BaseModel):
    """How a kind of report stands."""

    kind: str
    protocol: str | None = NAMED
    newest: ReportFacts | None = Field(description="The newest finished one.")
    latest: ReportRequest | None = Field(description="What was asked for last; it may be the newest.")
    stale: bool = Field(description="Whether other numbers would be computed now.")
