"""The projects `make demo` shows: a drawn study with known errors, or the published study.

`data/` holds the drawn study; `python -m tools.demo_study` writes it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from fractions import Fraction
from pathlib import Path
from typing import Final

from django.db.models import QuerySet

from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.batches.releases import release_plan
from annotator.demo.accounts import ANNOTATORS, LEAD, join
from annotator.exchange import import_study
from annotator.exchange.formats.published import SHOWN
from annotator.models import Image, Membership, Project

DATA: Final = Path(__file__).with_name("data")
DEMO = "demo"
STUDY = "study"
PRACTICE = "practice"
OPEN_BATCH = "Yours to label"
PRACTICE_IMAGES = 12
SEED = 1

Progress = Callable[[str, int, int], None]


def build_demo(progress: Progress) -> Project:
    """Return the demo project; import it if it does not exist. Safe to repeat."""
    project, _ = Project.objects.get_or_create(slug=DEMO, defaults={"name": "Drawn figures (demo)"})
    if project.batches.filter(name=OPEN_BATCH).exists():
        return project
    _import(DATA, project, progress)
    people = _people(project)
    _release(project, project.images.filter(assignments=None), people)
    return project


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


def _import(folder: Path, project: Project, progress: Progress, shown: Collection[str] | None = None) -> None:
    import_study(
        folder,
        project=project,
        shown=shown,
        actor=None,
        progress=lambda n, of: progress("Importing the study", n, of),
    )


def _people(project: Project) -> list[Membership]:
    join(project, LEAD, Membership.Role.LEAD)
    return [join(project, name, Membership.Role.ANNOTATOR) for name in ANNOTATORS]


def _release(project: Project, images: QuerySet[Image], people: list[Membership]) -> None:
    """Everybody labels every image, so that the agreement report has something to compare."""
    design = design_of(
        project=project,
        images=images,
        people=people,
        overlap=Fraction(1),
        coders=len(people),
        seed=SEED,
    )
    release_plan(project=project, name=OPEN_BATCH, plan=make_plan(design))


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
