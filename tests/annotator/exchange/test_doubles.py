"""Whether images judged by several elsewhere were drawn at random: unknown unless somebody says so."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from analysis.data.ratings_table import load_counted
from analysis.reports.lifecycle import computation
from analysis.tables.exclusions import counted_tables, not_counted
from annotator.models import Assignment, Event, Project
from annotator.uploads.from_server import import_study
from tests.annotator.exchange.conftest import StudyFolder
from tests.factories import make_project

pytestmark = pytest.mark.django_db

SAID = (
    "Drawn at random: unknown for 1 image with 2 imported annotations. If it was selected, agreement does "
    "not generalise to the other images. State it by importing the file again."
)


def run(command: str, file: Path, *options: str) -> set[str]:
    call_command(command, str(file), "--project", "pilot", *options, stdout=StringIO(), stderr=StringIO())
    batch = Project.objects.get(slug="pilot").batches.latest("pk")
    return set(batch.assignments.values_list("drawn", flat=True))


def test_nothing_is_claimed_of_an_import_until_somebody_says_it(small_study: StudyFolder) -> None:
    changed = Event.objects.filter(verb="batch_settings_changed").order_by("-pk")
    assert run("import_study", small_study.path) == {"unknown"}
    assert not changed.exists()
    assert run("import_study", small_study.path, "--doubles", "random") == {"random", "single"}
    event = changed[0]
    assert (event.data["replaced"], event.data["settings"]) == (
        {"doubles": "unknown"},
        {"doubles": "random"},
    )
    assert run("import_study", small_study.path) == {"random", "single"}
    assert run("import_study", small_study.path, "--doubles", "random") == {"random", "single"}
    assert changed.count() == 1
    assert run("import_study", small_study.path, "--doubles", "unknown") == {"unknown"}
    assert changed.count() == 2
    with pytest.raises(CommandError, match="invalid choice"):
        run("import_study", small_study.path, "--doubles", "targeted")


def test_targeted_annotations_stay_targeted(small_study: StudyFolder) -> None:
    project = make_project("pilot")
    import_study(small_study.path, project=project)
    first = Assignment.objects.earliest("pk")
    Assignment.objects.filter(pk=first.pk).update(drawn="targeted")
    for doubles in ("random", "unknown"):
        import_study(small_study.path, project=project, doubles=doubles)
        first.refresh_from_db()
        assert first.drawn == "targeted"


@pytest.mark.slow  # two agreement reports
def test_agreement_counts_them_and_says_that_it_is_unknown(small_study: StudyFolder) -> None:
    project = make_project("pilot")
    import_study(small_study.path, project=project)
    frame, _ = load_counted(project)
    found = dict(computation("agreement", "anatomy")(frame))
    assert found["drawn_unknown"] == {"answers": 2, "images": 1}
    assert [finding.text for finding in not_counted(found)] == [SAID]
    counted = {"answers": {"submitted": 3, "counted": 3, "not_counted": []}, **found}
    rows = [[cell.text for cell in row] for row in counted_tables(counted)[0].rows]
    assert rows[-1] == ["Counted: of several on an image, drawn at random: unknown", "2"]
    import_study(small_study.path, project=project, doubles="random")
    frame, _ = load_counted(project)
    stated = dict(computation("agreement", "anatomy")(frame))
    assert "drawn_unknown" not in stated
    assert found.pop("drawn_unknown")
    assert stated == found
