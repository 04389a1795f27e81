"""Response schemas of the API, as in the OpenAPI document.

An annotator's view of an image (`ImageToJudge`) omits everything that could bias the annotation.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field

NAMED = Field(
    None,
    description="The protocol; omitted if `anatomy` is the project's only one.",
    examples=["anatomy"],
)


Item = TypeVar("Item")


class Page(BaseModel, Generic[Item]):
    """A page of a list."""

    items: list[Item]
    next: str | None = Field(description="Pass this as `after` to get the next page; null on the last page.")


class Counts(BaseModel):
    """The size and progress of a project."""

    images: int
    assignments: int
    done: int


class Project(BaseModel):
    """A project of yours and your role in it."""

    slug: str = Field(description="The project in URLs.", examples=["pilot"])
    name: str
    role: str = Field(description="`lead`, `annotator` or `reviewer`.")
    code: str = Field(description="Your code in the data.")
    owed: int = Field(description="Number of images assigned to you.")
    waiting: int = Field(description="Number of these still open.")


class ProjectDetails(Project):
    """One project; leads also see weights and counts."""

    weights: dict[str, str] | None = Field(description="Severity weights as exact decimals; leads only.")
    counts: Counts | None = Field(description="Leads only.")


class Projects(Page[Project]):
    """A page of projects."""


class Image(BaseModel):
    """An image as leads see it."""

    id: UUID
    generator: str
    prompt: str
    prompt_group: str
    number: int | None
    source_name: str = Field(description="Name of the uploaded file.")
    sha256: str
    format: str
    width: int
    height: int
    scaled_from: dict[str, Any] | None = Field(
        None, description="The uploaded file of an image that was scaled down; otherwise null."
    )
    attributes: dict[str, Any] = Field(description="Additional columns of its manifest.")
    display_state: str = Field(description="Status of the display copy: `pending`, `ready` or `failed`.")
    created_at: datetime
    picture: str = Field(description="URL of the image file.")


class Rating(BaseModel):
    """One number derived from an annotation at submission."""

    variable: str = Field(examples=["cell_score"])
    component: str = Field(description="A cell, or empty for the whole image.")
    value: str = Field(description="The exact value as a fraction.", examples=["1/4"])
    number: float = Field(description="The nearest 64-bit float.")


class NamedCauses(BaseModel):
    """Why the annotations differ in one component."""

    component: str = Field(examples=["missing.hands"])
    causes: list[str] = Field(examples=[["total", "severity"]])
    proposed: list[str] = Field(description="The causes that the protocol proposed for the value.")
    note: str = Field(description="Empty without a note.")


class Adjudicated(BaseModel):
    """The adjudicated value of an image; it replaces the mean in comparisons of images."""

    protocol: str | None = NAMED
    version: int
    payload: dict[str, Any] = Field(description="The adjudicated value, in the form of an annotation.")
    ratings: list[Rating]
    settled_from: list[int] = Field(description="The ids of the adjudicated annotations.")
    outdated: bool = Field(description="Whether an annotation was added, removed or changed since.")
    causes: list[NamedCauses] | None = Field(description="Null if not recorded.")
    note: str
    decided_by: str = Field(description="The adjudicator's code.")
    decided_at: datetime


class Images(Page[Image]):
    """A page of images."""


class ImageToJudge(BaseModel):
    """An image as its annotator sees it, without anything that could bias the annotation."""

    id: UUID
    width: int
    height: int
    picture: str = Field(description="URL of the image file.")


SEEN = (
    "Whether annotators saw the prompt: `shown`, `hidden`, `varied` (part of the time) or `unknown` (not "
    "recorded for imported annotations)."
)


class Batch(BaseModel):
    """Images released to named annotators under one protocol."""

    id: int
    name: str
    status: str = Field(description="`preparing`, `open` or `closed`.")
    protocol: str
    overlap: str = Field(description="Share of doubly annotated images, as an exact decimal.")
    coders: int
    seed: int | None
    show_prompt: bool
    show_generator: bool
    prompt_seen: str = Field(description=SEEN)
    generator_seen: str = Field(description="The same for the generator.")
    guided: bool
    score_shown: str
    settings: dict[str, Any] | None = Field(
        None, description="Further settings of the protocol; omitted if none are set."
    )
    created_at: datetime
    images: int
    people: int
    owed: int = Field(description="Assignments that are not withdrawn.")
    done: int = Field(description="Number of these submitted or skipped.")


class Batches(Page[Batch]):
    """A page of batches, newest first."""


class Person(BaseModel):
    """A member of a project."""

    id: int
    code: str
    role: str
    account: str | None = Field(description="Null for an imported annotator without an account.")
    is_active: bool
    owed: int
    done: int
    begun: int


class People(Page[Person]):
    """A page of members."""


class Assignment(BaseModel):
    """One image assigned to one annotator."""

    id: int
    batch: int
    protocol: str | None = NAMED
    image: UUID
    annotator: str = Field(description="The annotator's code.")
    position: int | None = Field(description="The position in the annotator's queue; null once withdrawn.")
    status: str = Field(description="`open`, `done`, `skipped` or `withdrawn`.")
    annotation: int | None = Field(description="The annotation id; null if not started.")
    created_at: datetime


class Assignments(Page[Assignment]):
    """A page of assignments."""


class BatchName(BaseModel):
    """A batch as an annotator sees it."""

    id: int
    name: str
    status: str


class Task(BaseModel):
    """An image assigned to you. Prompt and generator are null unless the batch shows them."""

    id: int = Field(description="The assignment id.")
    batch: BatchName
    protocol: str | None = NAMED
    position: int | None
    status: str = Field(description="`open`, `done`, `skipped` or `withdrawn`.")
    version: int = Field(description="The version of your annotation; 0 if there is none yet.")
    answer: str | None = Field(description="`draft`, `submitted` or `reopened`; null if there is none yet.")
    image: ImageToJudge
    prompt: str | None
    generator: str | None


class Queue(Page[Task]):
    """A page of your queue, in your order."""


class Remark(BaseModel):
    """A warning about something in an annotation that is allowed but looks like a slip."""

    field: str
    code: str
    message: str


class TaskDetails(Task):
    """An image assigned to you, with your annotation."""

    annotation: int | None = Field(description="The annotation id; null if there is none yet.")
    payload: dict[str, Any] = Field(description="The annotation; empty if there is none yet.")
    warnings: list[Remark]
    saved_at: datetime | None
    barred: str | None = Field(
        description="Why it is locked: `closed`, `withdrawn`, `deleted`, `ended`, `revealed`, or null."
    )
    request: str | None = Field(description="The lead's reason for reopening it.")


class Annotation(BaseModel):
    """An annotation without its content."""

    id: int
    assignment: int
    batch: int
    protocol: str | None = NAMED
    image: UUID
    annotator: str = Field(description="The annotator's code.")
    status: str = Field(description="`draft`, `submitted` or `reopened`.")
    version: int
    flagged: bool = Field(description="Whether the annotator had doubts about the image.")
    guideline: str | None = Field(
        None, description="Version of the project's guideline in force at submission, if one was published."
    )
    created_at: datetime
    saved_at: datetime
    submitted_at: datetime | None


class Annotations(Page[Annotation]):
    """A page of annotations."""


class AnnotationDetails(Annotation):
    """An annotation with its content; ratings and purpose are for leads."""

    payload: dict[str, Any]
    warnings: list[Remark]
    ratings: list[Rating] | None
    purpose: str | None = Field(None, description="The purpose, if it is not `work`.")


class SavedAnswer(BaseModel):
    """An annotation after a change."""

    annotation: int
    version: int = Field(description="The version to name in the next change.")
    status: str
    payload: dict[str, Any]
    warnings: list[Remark]
    saved_at: datetime
    submitted_at: datetime | None


class Reply(BaseModel):
    """A message in the thread of a question."""

    code: str = Field(description="The code of its author.")
    by_lead: bool = Field(description="Whether it is an answer of a lead.")
    text: str
    created_at: datetime


class Question(BaseModel):
    """A question or flag of an annotator on one image, with its thread."""

    id: int
    kind: str = Field(description="`question` or `flag`.")
    state: str = Field(description="`open`, `answered` or `resolved`.")
    version: int = Field(description="The version to name in an answer.")
    assignment: int
    batch: int
    image: UUID
    annotator: str = Field(description="The annotator's code.")
    reason: str = Field(description="The reason of a flag; otherwise empty.")
    text: str = Field(description="The question, or the note of a flag.")
    asked_at: datetime
    open_since: datetime = Field(description="When it last became open.")
    replies: list[Reply] = Field(description="Oldest first.")


class Questions(Page[Question]):
    """A page of questions, newest first."""


class Job(BaseModel):
    """A background job."""

    id: int
    project: str
    kind: str
    protocol: str | None = NAMED
    title: str
    status: str = Field(description="`queued`, `running`, `done`, `failed` or `cancelled`.")
    progress: int = Field(description="Percent.")
    waits_for: str = Field("", description="What the job waits for; empty if nothing, and in lists.")
    before: int = Field(0, description="Jobs before this one in its queue, at most 100; 0 in lists.")
    error: str = Field(description="Why it failed; otherwise empty.")
    words: str = Field(description="A summary of the result; otherwise empty.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    file: str | None = Field(description="URL of a finished export's file, until it expires.")
    expires_at: datetime | None


class Jobs(Page[Job]):
    """A page of jobs, newest first."""


class ReportFacts(BaseModel):
    """A finished report without its result."""

    id: int
    kind: str
    protocol: str | None = NAMED
    computed_at: datetime
    annotations: int = Field(description="Number of annotations it counts.")
    code_version: str
    input_digest: str


class Report(ReportFacts):
    """A finished report. Its result never changes."""

    result: dict[str, Any] = Field(description="As described in docs/reference/statistics.md.")


class ReportRequest(BaseModel):
    """The latest request for a report."""

    status: str = Field(description="`queued`, `running`, `done`, `failed` or `cancelled`.")
    progress: int = Field(description="Percent.")
    error: str
    created_at: datetime


class ReportStanding(BaseModel):
    """The status of a kind of report."""

    kind: str
    protocol: str | None = NAMED
    newest: ReportFacts | None = Field(description="The newest finished report.")
    latest: ReportRequest | None = Field(description="The latest request; it may be the newest report.")
    stale: bool = Field(description="Whether a new report would differ.")
