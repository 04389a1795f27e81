"""Shared by the tests of reports and exports."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client

from analysis.reports import lifecycle
from analysis.reports.lifecycle import RUN_REPORT
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.published import PROMPT_GROUPS
from annotator.models import Membership, Project
from annotator.uploads.from_server import import_study
from annotator.work.liveness import sign_of_life
from scoring import service
from scoring.anatomy.protocol import ANATOMY
from scoring.grid.taxonomy import CELLS
from scoring.presence.protocol import PRESENCE
from scoring.service import registry
from tests.analysis.factories import make_small_study
from tests.analysis.wider_study import make_wider_study
from tests.annotator.adjudicating import Case, make_case
from tests.factories import LEAD, make_member, make_project, user_of
from tests.protocols.stars.rules import STARS
from tests.support.messages import ids_sent_to

if TYPE_CHECKING:
    import pandas as pd

    from analysis.stats.frames import RatedAnnotation, RatingsFrame


@pytest.fixture
def project(db: None) -> Project:
    """Seven answers by two annotators on four images of two generators."""
    project = make_project("study", name="The study")
    make_small_study(project)
    return project


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ids of the reports whose wake-up left."""
    return ids_sent_to(monkeypatch, RUN_REPORT)


@pytest.fixture
def worker(db: None, sent: list[int]) -> None:
    """No message leaves, and a worker is alive."""
    sign_of_life()


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Kinds computed, in order; the computations are the real ones."""
    kinds: list[str] = []
    real = lifecycle.computation

    def counting(kind: str, protocol: str) -> Callable[[Any, Any], Any]:
        def compute(frame: Any, steps: Any, **more: Any) -> Any:
            kinds.append(kind)
            return real(kind, protocol)(frame, steps, **more)

        return compute

    monkeypatch.setattr(lifecycle, "computation", counting)
    return kinds


@pytest.fixture
def published(db: None, study_data: Path, sent: list[int]) -> Project:
    """The published study, imported."""
    project = make_project("published")
    import_study(study_data, project=project)
    return project


@pytest.fixture
def lead(project: Project, client: Client) -> Membership:
    """The project’s lead, signed in."""
    member = make_member(project, LEAD, code="the-lead")
    client.force_login(user_of(member))
    return member


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program knows three protocols."""
    monkeypatch.setattr(service, "PROTOCOLS", registry(ANATOMY, PRESENCE, STARS))


@pytest.fixture
def case(db: None, sent: list[int], client: Client) -> Case:
    made = make_case(make_project("pilot"))
    client.force_login(made.user)
    return made


@pytest.fixture
def wide(db: None, sent: list[int], client: Client) -> Project:
    """Twelve images judged twice; the client is the lead's."""
    sign_of_life()
    project = make_project("wide")
    make_wider_study(project)
    client.force_login(user_of(make_member(project, LEAD)))
    return project


@pytest.fixture(scope="session")
def study_rows(study_data: Path) -> list[dict[str, str]]:
    """The 300 rows of the published file, texts as they are."""
    with (study_data / "data" / "annotations.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def study_tables(study_data: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Annotations and marks of the published study, as `manage.py reproduce` reads them."""
    from analysis.management.commands.reproduce import read_study

    return read_study(study_data)


@pytest.fixture(scope="session")
def reproduced(study_tables: tuple[pd.DataFrame, pd.DataFrame]) -> dict[str, Any]:
    """The values that `manage.py reproduce` computes of them."""
    from analysis.management.commands.reproduce import values

    return values(*study_tables)


@pytest.fixture(scope="session")
def study_frame(study_rows: list[dict[str, str]]) -> RatingsFrame:
    """The published study; images are numbered by generator, prompt and picture number."""
    from tests.analysis.stats.conftest import framed

    images: dict[tuple[str, str, str], int] = {}
    return framed(*(_study_row(row, images) for row in study_rows))


@pytest.fixture(scope="session")
def study_agreement(study_frame: RatingsFrame) -> dict[str, Any]:
    """The agreement report of the published study."""
    from analysis.protocols.anatomy.agreement import anatomy_agreement

    return dict(anatomy_agreement(study_frame))


@pytest.fixture(scope="session")
def study_comparison(study_frame: RatingsFrame) -> dict[str, Any]:
    """The comparison of the published study."""
    from analysis.protocols.anatomy.comparison import anatomy_comparison

    return dict(anatomy_comparison(study_frame))


def _study_row(row: dict[str, str], images: dict[tuple[str, str, str], int]) -> RatedAnnotation:
    from tests.analysis.stats.conftest import rated

    image = images.setdefault((row["Model"], row["Prompt"], row["Pic Num."]), len(images) + 1)
    cells = {cell.key: row[cell.heading] for cell in CELLS if row[cell.heading]}
    group = PROMPT_GROUPS[normal_form(row["Prompt"])]
    return rated(
        image,
        row["Annotator"],
        cells,
        generator=row["Model"],
        prompt=row["Prompt"],
        prompt_group=group,
        number=int(row["Pic Num."]),
    )
