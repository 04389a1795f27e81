"""The steps from an empty project to its first export. Each tick is asked of the rows; none is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Q
from django.utils import timezone

from annotator.models import Assignment, Membership, Project
from annotator.models.counting import WorkCount
from annotator.models.images import IS_STUDIED
from scoring.protocol import Protocol


@dataclass(frozen=True)
class Facts:
    """What the steps depend on; `to_adjudicate` is None until an agreement report says it.

    `measures` are the protocols of the project, none before its first rating form; None if nobody was asked.
    `faces` says whether all faces are decided on, None if no protocol blurs any. Of the annotators
    `in_training`, `trained` have finished.

    Of the numbers of images, generators, prompts and batches, only whether there are any matters for a tick.
    """

    measures: Sequence[Protocol] | None
    images: int
    generators: int
    prompts: int
    annotators: int
    invited: int
    faces: bool | None
    published: bool
    in_training: int
    trained: int
    batches: int
    count: WorkCount
    waiting: int
    to_adjudicate: int | None
    exported: bool

    @property
    def released(self) -> bool:
        """Whether any batch is released."""
        return self.batches > 0

    @property
    def fewest_raters(self) -> int:
        """The fewest people who give each image a score."""
        return max((protocol.scored_from for protocol in self.measures or ()), default=0) or 1

    @property
    def annotated(self) -> bool:
        """Whether there are annotations, and no image waits for one."""
        return self.released and self.count.there > 0 and not self.waiting


@dataclass(frozen=True)
class StepKind:
    """One kind of step: what there is to do, its tick, and its one next button.

    `address` is the URL name of the button's page. An optional step never waits for the lead. A step that
    the project went on without is ticked, too, and its detail says so. A step that does not apply to what
    the project measures is left out.
    """

    slug: str
    task: str
    explained: str
    verb: str
    address: str
    ticked: Callable[[Facts], bool]
    detail: Callable[[Facts], str] = lambda _: ""
    optional: bool = False
    applies: Callable[[Facts], bool] = lambda _: True


@dataclass(frozen=True)
class Step:
    """A step of one project: the first one that is neither done nor optional is `current`."""

    number: int
    kind: StepKind
    done: bool
    current: bool
    detail: str


def several(count: int, one: str, more: str = "") -> str:
    """Return a count with its noun: “1 image”, “1,240 images”; `more` is an irregular plural."""
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"


def _images(facts: Facts) -> str:
    if not facts.generators:
        return ""
    parts = [several(facts.images, "image"), several(facts.generators, "generator")]
    return " · ".join([*parts, several(facts.prompts, "prompt")])


def _people(facts: Facts) -> str:
    if not facts.annotators:
        return f"{facts.invited:,} invited" if facts.invited else ""
    # An open invitation holds a place, which is one of the annotators already.
    waiting = f", {facts.invited:,} not joined yet" if facts.invited else ""
    besides = " besides whoever marks the faces" if facts.faces is not None else ""
    lacking = "" if _enough_people(facts) else f": a score needs {facts.fewest_raters}{besides}"
    return several(facts.annotators, "annotator") + waiting + lacking


def _enough_people(facts: Facts) -> bool:
    return max(facts.annotators, facts.invited) >= facts.fewest_raters


def _training(facts: Facts) -> str:
    if facts.in_training:
        return f"{facts.trained:,} of {facts.in_training:,} finished"
    return "Skipped" if facts.released else ""


def _to_adjudicate(facts: Facts) -> str:
    if facts.to_adjudicate:
        return f"{facts.to_adjudicate:,} open"
    return "None open" if _adjudicated(facts) else ""


def _adjudicated(facts: Facts) -> bool:
    return facts.annotated and facts.to_adjudicate == 0


def _asks_own_questions(facts: Facts) -> bool:
    return facts.measures is not None and all(protocol.form for protocol in facts.measures)


DRAWN: Final = "Not published: the built-in guideline is in use."

STEPS: Final = (
    StepKind(
        "images",
        "Add your images",
        "Put each generator in its own folder. We read generator and prompt from the names, and you confirm "
        "before anything is stored.",
        "Add images",
        "uploads",
        lambda facts: facts.images > 0,
        _images,
    ),
    StepKind(
        "people",
        "Invite your annotators",
        "Each annotator joins with a link. You can plan and release a batch before they join.",
        "Invite people",
        "invitations_many",
        lambda facts: _enough_people(facts) or facts.released,
        _people,
    ),
    StepKind(
        "faces",
        "Mark the faces",
        "Mark the faces of each image, or import rectangles. Whoever marks an image never rates it.",
        "Mark faces",
        "faces",
        lambda facts: facts.images > 0 and bool(facts.faces),
        applies=lambda facts: facts.faces is not None,
    ),
    StepKind(
        "form",
        "Write your questions",
        "Start from a published scheme or from nothing. Each question is a scale, a choice or a text.",
        "Write a rating form",
        "rating_forms",
        lambda facts: bool(facts.measures),
        lambda facts: several(len(facts.measures or ()), "form"),
        applies=_asks_own_questions,
    ),
    StepKind(
        "guideline",
        "Publish your guideline",
        "Annotators read the built-in guideline. Edit it, or publish it as it is: annotations then name its "
        "version.",
        "Open the guideline",
        "guideline",
        lambda facts: facts.published or facts.released,
        lambda facts: "Published" if facts.published else DRAWN if facts.released else "",
    ),
    StepKind(
        "training",
        "Train your annotators",
        "Training images with feedback, then a qualification.",
        "Plan training",
        "references",
        lambda facts: facts.in_training == facts.trained and (facts.trained > 0 or facts.released),
        _training,
        optional=True,
        # Without references there is nothing to learn from.
        applies=lambda facts: facts.measures is None or any(rules.compare for rules in facts.measures),
    ),
    StepKind(
        "batch",
        "Release a batch",
        "Choose the images and annotators, and how many images several of them annotate. You see the plan "
        "before anything is released.",
        "Plan a batch",
        "batch_new",
        lambda facts: facts.released,
        lambda facts: several(facts.batches, "batch", "batches") if facts.released else "",
    ),
    StepKind(
        "labelling",
        "Wait for the annotations",
        "The annotators see their images in their queues.",
        "See the progress",
        "batches",
        lambda facts: facts.annotated,
        lambda facts: facts.count.words,
    ),
    StepKind(
        "adjudication",
        "Adjudicate disagreements",
        "The largest disagreements come first. Your value replaces the mean of the annotations.",
        "Adjudicate",
        "disagreements",
        _adjudicated,
        _to_adjudicate,
        applies=lambda facts: (
            facts.measures is None or any(protocol.adjudicated for protocol in facts.measures)
        ),
    ),
    StepKind(
        "export",
        "Export results and data",
        "Sheets, tables and figures, or everything as one publication bundle.",
        "Export",
        "exports",
        lambda facts: facts.exported,
        lambda facts: "Exported" if facts.exported else "",
    ),
)
"""In the order of the work."""


def steps_of(facts: Facts) -> list[Step]:
    """Return the steps with their ticks."""
    kinds = [kind for kind in STEPS if kind.applies(facts)]
    ticks = [kind.ticked(facts) for kind in kinds]
    open_ones = (kind for kind, done in zip(kinds, ticks, strict=True) if not done and not kind.optional)
    current = next(open_ones, None)
    return [
        Step(number, kind, done, kind is current, kind.detail(facts))
        for number, (kind, done) in enumerate(zip(kinds, ticks, strict=True), 1)
    ]


def next_step(steps: Sequence[Step]) -> Step | None:
    """Return the current step; None if all steps are done."""
    return next((step for step in steps if step.current), None)


def image_counts(project: Project, most: int | None = None) -> tuple[int, int, int]:
    """Return the numbers of images, generators and prompts, from an index.

    Of more than `most` images, which take long to count, only that there are some.
    """
    own_images = project.images.filter(IS_STUDIED).order_by()
    images = (own_images if most is None else own_images[: most + 1]).count()
    if not images or (most is not None and images > most):
        return images, 0, 0
    pairs = set(own_images.values_list("generator", "prompt").distinct())
    return images, len({generator for generator, _ in pairs}), len({prompt for _, prompt in pairs})


def people_counts(project: Project) -> tuple[int, int]:
    """Return the numbers of active annotators and of open invitations for annotators."""
    annotators = project.memberships.filter(role=Membership.Role.ANNOTATOR, is_active=True).count()
    named = project.invitations.filter(role=Membership.Role.ANNOTATOR).exclude(code="")
    invited = named.filter(used_at=None, revoked_at=None, expires_at__gt=timezone.now())
    return annotators, invited.count()


def training_counts(project: Project) -> tuple[int, int]:
    """Return how many active annotators have finished their training images, and how many have some.

    Images that somebody trains with again do not count; one query.
    """
    training = Assignment.objects.filter(
        batch__project=project,
        annotator__is_active=True,
        purpose=Assignment.Purpose.TRAINING,
        pass_no=0,
        position__isnull=False,
    )
    given = training.order_by().values("annotator")
    left = Count("pk", filter=Q(status=Assignment.Status.OPEN))
    counts = list(given.annotate(left=left).values_list("left", flat=True))
    return counts.count(0), len(counts)
