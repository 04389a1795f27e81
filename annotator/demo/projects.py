"""The accounts and projects of `make demo`: a drawn study with known errors, or the published study.

`data/` holds the drawn study; its README says what is in it.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

from django.db.models import QuerySet

from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.batches.releases import release_plan
from annotator.data_sets.detections import read_detections
from annotator.data_sets.filtering import store_detections
from annotator.demo.progress import NAME as WORK_IN_PROGRESS
from annotator.demo.progress import build_progress
from annotator.demo.training import NEWCOMER, build_qualification, build_training
from annotator.exchange import import_study
from annotator.exchange.annotation_files import check_annotations, store_checked
from annotator.exchange.doubles import AT_RANDOM
from annotator.exchange.face_files import check_faces, store_faces
from annotator.exchange.formats.published import SHOWN
from annotator.models import Image, Membership, Project, User
from annotator.models.data_sets import IS_GENERATED, REAL, is_excluded
from annotator.models.work import DEFAULT_PROTOCOL

LEAD = "lead"
ANNOTATORS = ("annotator1", "annotator2")


@dataclass(frozen=True)
class Account:
    """A user name, its password, and its purpose."""

    username: str
    password: str
    purpose: str


PURPOSES: Final = {
    LEAD: "sees projects, reports and exports",
    **dict.fromkeys(ANNOTATORS, "annotates images"),
    NEWCOMER: "trains and qualifies first, then annotates images",
}


def ready_accounts(keep_in: Path, *, newcomer: bool = True) -> list[Account]:
    """Return the demo's accounts, created at the first call and kept in a file readable only by its owner.

    `newcomer` includes the account that begins with training.
    """
    names = [name for name in PURPOSES if newcomer or name != NEWCOMER]
    passwords = _kept_passwords(keep_in, names)
    accounts = []
    for username in names:
        user, made = User.objects.get_or_create(username=username)
        if made or not user.check_password(passwords[username]):
            user.set_password(passwords[username])
            user.is_active = True
            user.save()
        accounts.append(Account(username, passwords[username], PURPOSES[username]))
    return accounts


def _kept_passwords(path: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the passwords by user name; those that the file lacks are added to it."""
    kept: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    fresh = {name: "-".join(secrets.token_hex(2) for _ in range(3)) for name in names if name not in kept}
    if fresh:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(kept | fresh, file)
    return kept | fresh


def join(project: Project, username: str, role: Membership.Role) -> Membership:
    """Return the account's membership of a project, created if missing.

    The account takes over a simulated annotator with the same code, and continues its work.
    """
    user = User.objects.get(username=username)
    mine = Membership.objects.filter(project=project, user=user).first()
    if mine is not None:
        return mine
    membership, made = Membership.objects.get_or_create(
        project=project, code=username, defaults={"user": user, "role": role}
    )
    if not made:
        simulated = membership.user
        membership.user = user
        membership.save(update_fields=["user"])
        if simulated is not None:
            simulated.delete()
    return membership


DATA: Final = Path(__file__).with_name("data")
DEMO = "demo"
STUDY = "study"
PRACTICE = "practice"
REALISM = "realism"
IN_PROGRESS = "in-progress"
ACROSS = "two-protocols"
ANNOTATED: Final = {
    DEFAULT_PROTOCOL: DATA / "data" / "annotations.csv",
    REALISM: DATA / "realism.csv",
}
"""Simulated annotations of the drawn figures by protocol."""
FACES = "faces.csv"
DETECTIONS = "detections.csv"
REAL_FOLDER, CAMERA = "real", "camera"
OPEN_BATCH = "Yours to annotate"
FIRST_BATCH = "After training"
PRACTICE_IMAGES = 12
SEED = 1

Progress = Callable[[str, int, int], None]


def build_demo(progress: Progress) -> Project:
    """Return the demo project; import it if it does not exist. Safe to repeat."""
    project, _ = Project.objects.get_or_create(slug=DEMO, defaults={"name": "Drawn figures (demo)"})
    if not project.batches.filter(name=OPEN_BATCH).exists():
        _import(DATA, project, progress)
        people = _people(project)
        _build_realism(progress)
        _release(project, project.images.filter(assignments=None), people)
    _teach(project)
    _build_progress(progress)
    _build_across(progress)
    return project


def _teach(project: Project) -> None:
    """Give somebody new training, a qualification, and then images that others annotate, too."""
    lead = User.objects.get(username=LEAD)
    person = join(project, NEWCOMER, Membership.Role.ANNOTATOR)
    build_training(project, DATA / "data" / "truth.csv", person, lead)
    build_qualification(project, DATA / "data" / "truth.csv", person, lead)
    if not project.batches.filter(name=FIRST_BATCH).exists():
        open_images = project.images.filter(assignments__batch__name=OPEN_BATCH).distinct()
        _release(project, open_images, [person], FIRST_BATCH)


def _build_progress(progress: Progress) -> None:
    """Create a project in which three simulated annotators are at work."""
    project, _ = Project.objects.get_or_create(slug=IN_PROGRESS, defaults={"name": WORK_IN_PROGRESS})
    lead = join(project, LEAD, Membership.Role.LEAD).user
    if project.batches.exists() or lead is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(DATA / "images", Path(folder, "images"))
        _import(Path(folder), project, progress)
    build_progress(project, DATA / "data" / "truth.csv", lead)


def _build_realism(progress: Progress) -> None:
    """Create a project in which five simulated raters have rated some of the drawn figures.

    Figures without errors stand for real images.
    """
    project, _ = Project.objects.get_or_create(slug=REALISM, defaults={"name": "Realism of drawn figures"})
    _import_some(project, progress, lambda image: "person" in image.parent.name or image.stem.endswith("01"))
    _import(DATA / REALISM, project, progress)
    _import(DATA / REAL_FOLDER, project, progress)
    project.images.filter(generator=CAMERA).update(attributes={"source": REAL})
    annotate(project, [REALISM])
    faces = check_faces(DATA / FACES, project=project)
    store_faces(faces, project=project)
    store_detections(project, read_detections(DATA / DETECTIONS, project), actor=None, name=DETECTIONS)
    # Rated by the lead, so that the annotators keep a single project, whose queue they see at once.
    lead = join(project, LEAD, Membership.Role.LEAD)
    if not project.batches.filter(name=OPEN_BATCH).exists():
        unrated = project.images.filter(IS_GENERATED, ~is_excluded(), assignments=None)
        _release(project, unrated, [lead], protocol=REALISM)


def _build_across(progress: Progress) -> None:
    """Create a project whose figures are annotated under two protocols, for the report across protocols."""
    project, _ = Project.objects.get_or_create(slug=ACROSS, defaults={"name": "Two protocols"})
    join(project, LEAD, Membership.Role.LEAD)
    if project.batches.count() < len(ANNOTATED):
        _import_some(project, progress, is_under_both)
        annotate(project)


def is_under_both(image: Path) -> bool:
    """Tell whether a drawn figure has annotations of anatomy and ratings: one person, and not left open."""
    return "person" in image.parent.name and not image.stem.endswith("05")


def annotate(project: Project, protocols: Iterable[str] = ANNOTATED) -> None:
    """Store the simulated annotations of the project's drawn figures; those of other figures are left out."""
    for protocol in protocols:
        found = check_annotations(ANNOTATED[protocol], project=project, protocol=protocol)
        store_checked(found, project=project, shown=(), doubles=AT_RANDOM)


def build_study(folder: Path, copies: Path, progress: Progress) -> Project:
    """Return the project with the published study, plus one to practise in, so that its numbers stay."""
    project, _ = Project.objects.get_or_create(slug=STUDY, defaults={"name": "Published study"})
    _import(folder, project, progress, SHOWN)
    join(project, LEAD, Membership.Role.LEAD)
    practice, _ = Project.objects.get_or_create(slug=PRACTICE, defaults={"name": "Practice images"})
    people = _people(practice)
    if not practice.batches.exists():
        _copy_some(project, copies)
        _import(copies, practice, progress)
        _release(practice, practice.images.all(), people)
    return project


def _import_some(project: Project, progress: Progress, is_wanted: Callable[[Path], bool]) -> None:
    """Import some of the drawn figures, without their annotations."""
    with tempfile.TemporaryDirectory() as folder:
        for image in filter(is_wanted, sorted((DATA / "images").glob("*/*/*"))):
            target = Path(folder, *image.relative_to(DATA).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(image, target)
        _import(Path(folder), project, progress)


def _import(folder: Path, project: Project, progress: Progress, shown: Collection[str] | None = None) -> None:
    import_study(
        folder,
        project=project,
        shown=shown,
        # As planned for the simulated annotators, and as the paper says of its own.
        doubles=AT_RANDOM,
        actor=None,
        progress=lambda n, of: progress("Importing the study", n, of),
    )


def _people(project: Project) -> list[Membership]:
    join(project, LEAD, Membership.Role.LEAD)
    return [join(project, name, Membership.Role.ANNOTATOR) for name in ANNOTATORS]


def _release(
    project: Project,
    images: QuerySet[Image],
    people: list[Membership],
    name: str = OPEN_BATCH,
    protocol: str = DEFAULT_PROTOCOL,
) -> None:
    """Everybody annotates every image, so that the agreement report has something to compare."""
    design = design_of(
        project=project,
        images=images,
        people=people,
        overlap=Fraction(int(len(people) > 1)),
        coders=len(people),
        seed=SEED,
    )
    release_plan(project=project, name=name, plan=make_plan(design), protocol=protocol)


def _copy_some(project: Project, folder: Path) -> None:
    """Copy a few images, one of each generator in turn, into a folder that can be imported."""
    shutil.rmtree(folder, ignore_errors=True)
    generators = sorted(set(project.images.values_list("generator", flat=True)))
    each = -(-PRACTICE_IMAGES // max(1, len(generators)))
    for generator in generators:
        for image in _spread(
            list(project.images.filter(generator=generator).order_by("number", "prompt")), each
        ):
            target = folder / "images" / image.generator / image.prompt.replace(" ", "_")
            target.mkdir(parents=True, exist_ok=True)
            with image.file.open("rb") as source:
                (target / f"{image.number}{Path(str(image.file.name)).suffix}").write_bytes(source.read())


def _spread(images: list[Image], wanted: int) -> list[Image]:
    step = max(1, len(images) // max(1, wanted))
    return images[::step][:wanted]
