"""The accounts and projects of `make demo`: two studies of drawn figures, or the published study.

`data/` holds the figures; its README says what is in it.
"""

from __future__ import annotations

import csv
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple
from uuid import uuid4

from django.db.models import QuerySet

from annotator.annotations.adjudication import adjudicate, annotations_of, seen
from annotator.annotations.causes import CauseChoice, proposals_for
from annotator.annotations.questions import ask
from annotator.batches.checks import with_checks
from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.batches.releases import release_plan
from annotator.batches.requests import BatchRequest
from annotator.data_sets.detections import check_detections
from annotator.data_sets.filtering import store_detections
from annotator.database.transactions import write_transaction
from annotator.demo.defects import FIGURES, PEOPLE, judge_in_stages, planted_masks
from annotator.demo.simulated import (
    ANATOMY,
    Habits,
    Place,
    Row,
    make_reference,
    marking,
    place_of,
    rating,
    rows_by_image,
    submit,
    true_payload,
)
from annotator.exchange.face_rows import check_faces, store_faces
from annotator.exchange.formats.published import SHOWN
from annotator.exchange.storing import AT_RANDOM
from annotator.models import Assignment, Batch, Image, Membership, Project, Reference, User
from annotator.models.data_sets import IS_GENERATED, REAL, is_excluded
from annotator.models.prompts import of_prompt
from annotator.projects.tags import set_tags
from annotator.protocols.defect.page import PAGES
from annotator.training.qualification_batches import default_rule, release_qualification
from annotator.training.training_batches import release_training
from annotator.uploads.from_server import import_study
from scoring.service import get_protocol

Progress = Callable[[str, int, int], None]


class Account(NamedTuple):
    """A user name, its password, and its purpose."""

    username: str
    password: str
    purpose: str


LEAD: Final = "lead"
NEWCOMER: Final = "newcomer"
PURPOSES: Final = {
    LEAD: "leads every project: overview, review, results, export",
    "annotator1": "annotates images",
    "annotator2": "annotates images",
    NEWCOMER: "trains and qualifies first, then annotates images",
}
HABITS: Final = {
    "annotator1": Habits(35, misses=0.05, shifts=0.1, leaves=10),
    "annotator2": Habits(35, misses=0.05, shifts=0.1, leaves=12, drifts_from=2),
    "annotator3": Habits(3.5, misses=0.2, shifts=0.2),
}
"""Those at work on the anatomy of the figures; nobody can sign in as the last one."""
RATERS: Final = {f"rater{number}": Habits(5 + number) for number in range(1, 6)}

DATA: Final = Path(__file__).with_name("data")
TRUTH: Final = DATA / "data" / "truth.csv"
RATED: Final = (
    "images/*/person*/*",
    "images/*/[!p]*/*_01.*",
    "realism/images/*/*/*",
    "real/images/*/*/*",
)
"""The figures of the realism project: one person, a few of several people, and those that stand for real."""
DEMO, REALISM, DEFECTS, STUDY = "demo", "realism", "defects", "study"
SHOWS: Final = {
    DEMO: ("Drawn figures", "anatomical errors, under way: overview, quality, review, training"),
    REALISM: ("Realism of drawn figures", "ratings from 1 to 10, blurred faces, a data set"),
    DEFECTS: ("Defects of drawn figures", "verdicts, masks, their check, descriptions by models"),
    STUDY: ("Published study", "the published annotations: comparison, agreement"),
}
"""Name of each project, and what it shows."""
FIRST, TRAINING, QUALIFICATION = "Batch 1", "Training", "Qualification"
SEED: Final = 7
REPEATS: Final = 25
"""Percent of an annotator's images."""
ADJUDICATED: Final = 12
TAG: Final = "twinning"
GAP: Final = "The guideline does not say how large this must be to count."
QUESTION: Final = "One hand is hidden by the other person. Do I count it as missing?"


def ready_accounts(keep_in: Path, names: Iterable[str] = PURPOSES) -> list[Account]:
    """Return accounts of the demo, created at the first call.

    All passwords are made at once, and kept in a file readable only by its owner.
    """
    if not keep_in.exists():
        passwords = {name: "-".join(secrets.token_hex(2) for _ in range(3)) for name in PURPOSES}
        keep_in.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(keep_in, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(passwords, file)
    passwords = json.loads(keep_in.read_text(encoding="utf-8"))
    accounts = []
    for username in names:
        user, is_new = User.objects.get_or_create(username=username)
        if is_new or not user.check_password(passwords[username]):
            user.set_password(passwords[username])
            user.is_active = True
            user.save()
        accounts.append(Account(username, passwords[username], PURPOSES[username]))
    return accounts


def build_anatomy(progress: Progress) -> Project:
    """Return the project in which annotators mark errors; fill it if it is empty. Safe to repeat."""
    project, lead = _project(DEMO)
    if not project.batches.exists():
        set_tags(project=project, names={}, new=[TAG], actor=lead)
        _import_figures(project, progress, "images/*/*/*")
        with write_transaction():
            planted = rows_by_image(TRUTH)
            lessons, exam = _references(project, planted, lead)
            batch = _release_with_anchors(project, exam, lead)
            submit(batch, HABITS, marking(planted))
            _ask(batch)
            _adjudicate(batch, planted, lead)
            _teach(project, lessons, exam, lead)
    return project


def build_realism(progress: Progress) -> Project:
    """Return the project in which raters rate realism; fill it if it is empty. Safe to repeat.

    Figures without errors stand for real images.
    """
    project, lead = _project(REALISM)
    if not project.batches.exists():
        _import_figures(project, progress, *RATED)
        with write_transaction():
            project.images.filter(generator="camera").update(attributes={"source": REAL})
            store_faces(check_faces(DATA / "faces.csv", project), project)
            detections = DATA / "detections.csv"
            rows = check_detections(detections, project).found
            store_detections(project, rows, actor=None, name=detections.name)
            ratings = rows_by_image(DATA / "realism.csv")
            rated = [image.pk for image in project.images.all() if place_of(image) in ratings]
            raters = [_member(project, code) for code in RATERS]
            images = project.images.filter(pk__in=rated)
            submit(_release(project, FIRST, images, raters, lead, REALISM), RATERS, rating(ratings))
            # The lead's, so that the annotators have a single project, whose queue they see at once.
            unrated = project.images.filter(IS_GENERATED, ~is_excluded()).exclude(pk__in=rated)
            _release(project, "Yours to rate", unrated, [project.memberships.get(user=lead)], lead, REALISM)
    return project


def build_defects(progress: Progress) -> Project:
    """Return the project in which defects are found, checked and described; fill it if it is empty.

    Safe to repeat.
    """
    project, lead = _project(DEFECTS)
    if not project.batches.exists():
        _import_figures(project, progress, FIGURES)
        with write_transaction():
            for code in (code for people in PEOPLE.values() for code in people):
                _member(project, code)
            judge_in_stages(project, lead, planted_masks(DATA / "data"))
    return project


def build_study(folder: Path, progress: Progress) -> Project:
    """Return the project with the published study. Safe to repeat. Raises StudyRefused."""
    project, _ = _project(STUDY)
    steps = partial(progress, f"Importing {project.name}")
    import_study(folder, project=project, shown=SHOWN, doubles=AT_RANDOM, progress=steps)
    return project


def _project(slug: str) -> tuple[Project, User]:
    """Return a project and its lead."""
    protocols = {REALISM: [REALISM], DEFECTS: [page.slug for page in PAGES]}.get(slug, [ANATOMY])
    defaults = {"name": SHOWS[slug][0], "protocols": protocols}
    project, _ = Project.objects.get_or_create(slug=slug, defaults=defaults)
    lead = User.objects.get(username=LEAD)
    Membership.objects.get_or_create(
        project=project, user=lead, defaults={"code": LEAD, "role": Membership.Role.LEAD}
    )
    return project, lead


def _member(project: Project, code: str) -> Membership:
    """Add an annotator: a demo account with this name, or one that nobody can sign in to."""
    username = code if code in PURPOSES else f"{project.slug}-{code}"
    user, is_new = User.objects.get_or_create(username=username)
    if is_new:
        user.set_unusable_password()
        user.save()
    return Membership.objects.create(project=project, user=user, code=code, role=Membership.Role.ANNOTATOR)


def _import_figures(project: Project, progress: Progress, *patterns: str) -> None:
    """Import the drawn figures of these files, without the annotations beside them."""
    with tempfile.TemporaryDirectory() as folder:
        figures = [path for pattern in patterns for path in sorted(DATA.glob(pattern))]
        for done, figure in enumerate(figures, start=1):
            target = Path(folder, *figure.parts[-4:])
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(figure, target)
            progress(f"Importing {project.name}", done, len(figures))
        import_study(Path(folder), project=project)
    group_prompts(project)


def group_prompts(project: Project) -> None:
    """Give the drawn figures the groups of their prompts."""
    with (DATA / "data" / "prompt_groups.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            project.images.filter(of_prompt(row["prompt"])).update(prompt_group=row["group"])


def _release(
    project: Project,
    name: str,
    images: QuerySet[Image],
    people: Sequence[Membership],
    lead: User,
    protocol: str = ANATOMY,
    **checks: int,
) -> Batch:
    """Everybody judges every image, so that there is agreement to report; `checks` as of `with_checks`."""
    design = design_of(
        project=project,
        images=images,
        people=people,
        overlap=Fraction(int(len(people) > 1)),
        per_image=len(people),
        seed=SEED,
    )
    if checks:
        design = with_checks(project, design, people, protocol=protocol, **checks)
    request = BatchRequest(name, protocol=protocol)
    return release_plan(project=project, request=request, plan=make_plan(design), actor=lead)


def _references(
    project: Project, planted: Mapping[Place, Sequence[Row]], lead: User
) -> tuple[list[Reference], list[Reference]]:
    """Make planted errors references: of the images to train on, from easy to difficult, and of the exam."""
    images = {place_of(image): image for image in project.images.all()}
    batches: dict[str, list[Reference]] = {TRAINING: [], QUALIFICATION: []}
    for place, (row,) in rows_by_image(DATA / "lessons.csv").items():
        batches[row["batch"]].append(make_reference(images[place], planted.get(place, ()), lead))
    return batches[TRAINING], batches[QUALIFICATION]


def _release_with_anchors(project: Project, exam: Sequence[Reference], lead: User) -> Batch:
    """Release all images, with those of the newcomer's exam as anchors in place of work."""
    people = [_member(project, code) for code in HABITS]
    work = project.images.exclude(references__in=exam)
    percent = -(-100 * len(exam) // work.count())
    return _release(project, FIRST, work, people, lead, anchors=percent, repeats=REPEATS)


def _ask(batch: Batch) -> None:
    """Ask the question that the lead has to answer."""
    done = batch.assignments.filter(purpose=Assignment.Purpose.WORK, status=Assignment.Status.DONE)
    own = done.filter(annotator__code="annotator2", image__prompt="two people shaking hands")
    assignment = own.order_by("-position")[0]
    actor = User.objects.get(username="annotator2")
    ask(assignment=assignment, actor=actor, text=QUESTION, request_key=uuid4())


def _adjudicate(batch: Batch, planted: Mapping[Place, Sequence[Row]], lead: User) -> None:
    """Adjudicate some of the images that everybody has finished and on which they differ."""
    rows = batch.assignments.filter(purpose=Assignment.Purpose.WORK)
    unfinished = rows.filter(status=Assignment.Status.OPEN).values("image")
    images = Image.objects.filter(pk__in=rows.values("image")).exclude(pk__in=unfinished).order_by("pk")
    differing = [(image, components) for image in images if (components := _differing(image))]
    for place, (image, components) in enumerate(differing[:ADJUDICATED]):
        adjudicate(
            image=image,
            protocol=ANATOMY,
            actor=lead,
            payload=true_payload(planted.get(place_of(image), ())),
            replaces=0,
            adjudicated_from=seen(annotations_of(image, ANATOMY)),
            request_key=uuid4(),
            causes={} if place % 4 else {components[0]: CauseChoice(("guideline_gap",), GAP)},
        )


def _differing(image: Image) -> list[str]:
    """Return the components in which the annotations of an image differ."""
    payloads = [annotation.payload for annotation in annotations_of(image, ANATOMY)]
    return sorted(proposals_for(get_protocol(ANATOMY), payloads))


def _teach(project: Project, lessons: Sequence[Reference], exam: Sequence[Reference], lead: User) -> None:
    """Give somebody new training, a qualification, and then images that others annotate, too."""
    person = _member(project, NEWCOMER)
    release_training(
        project=project,
        name=TRAINING,
        protocol=ANATOMY,
        references=[reference.pk for reference in lessons],
        people=[person],
        actor=lead,
    )
    release_qualification(
        project=project,
        name=QUALIFICATION,
        protocol=ANATOMY,
        references=[reference.pk for reference in exam],
        people=[person],
        rule=default_rule(ANATOMY),
        images=len(exam) // 2,
        seed=SEED,
        actor=lead,
    )
    _release(project, "After training", project.images.filter(number=5), [person], lead)
