"""What nobody knows of imported annotations unless somebody says so: what was seen, how images were drawn."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from analysis.data.ratings_table import load_counted
from analysis.reports.lifecycle import computation
from analysis.tables.exclusions import counted_tables, not_counted
from annotator.batches.assignments import change_batch_settings
from annotator.demo.projects import build_study, ready_accounts
from annotator.models import Assignment, Batch, Event, Project
from annotator.uploads.from_server import import_study
from tests.analysis.factories import make_submitted
from tests.annotator.exchange.conftest import StudyFolder
from tests.factories import make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db
UNKNOWN, SHOWN = Batch.Seen.UNKNOWN, Batch.Seen.SHOWN
HIDDEN, VARIED = Batch.Seen.HIDDEN, Batch.Seen.VARIED


def seen(batch: Batch) -> tuple[str, str]:
    batch.refresh_from_db()
    return batch.prompt_was, batch.generator_was


def run(command: str, file: Path, *options: str) -> tuple[str, str]:
    arguments = (command, str(file), "--project", "pilot", *options)
    call_command(*arguments, stdout=StringIO(), stderr=StringIO())
    return seen(Project.objects.get(slug="pilot").batches.latest("pk"))


def test_nothing_is_claimed_of_an_import_until_somebody_says_it(small_study: StudyFolder) -> None:
    assert run("import_study", small_study.path) == (UNKNOWN, UNKNOWN)
    assert not Event.objects.filter(verb="batch_settings_changed").exists()
    assert run("import_study", small_study.path, "--shown", "prompt, generator") == (SHOWN, SHOWN)
    event = Event.objects.get(verb="batch_settings_changed")
    assert event.data["replaced"]["prompt_seen"] == UNKNOWN
    assert run("import_study", small_study.path) == (SHOWN, SHOWN)
    assert run("import_study", small_study.path, "--shown", "generator") == (HIDDEN, SHOWN)
    assert run("import_study", small_study.path, "--shown", "none") == (HIDDEN, HIDDEN)


def test_other_words_are_refused_before_anything_is_stored(small_study: StudyFolder) -> None:
    with pytest.raises(CommandError, match="--shown must be prompt, generator"):
        run("import_study", small_study.path, "--shown", "prompt,seed")
    assert not Project.objects.exists()


def test_it_is_said_of_answers_that_come_after_their_images(small_study: StudyFolder) -> None:
    answers = small_study.path / "data/annotations.csv"
    file = answers.rename(small_study.path / "later.csv")
    call_command("import_study", str(small_study.path), "--project", "pilot", stdout=StringIO())
    assert run("import_answers", file, "--shown", "prompt") == (SHOWN, HIDDEN)


def test_what_changes_while_people_judge_is_kept_as_such() -> None:
    project = make_project()
    member, batch = make_member(project), make_batch(project)
    shown: dict[str, Any] = {"show_prompt": True, "guided": False, "score_shown": "never", "actor": None}
    change_batch_settings(batch=batch, **shown)
    assert seen(batch) == (SHOWN, HIDDEN)
    make_submitted(member, batch=batch, image=make_image(project))
    change_batch_settings(batch=batch, **shown, show_generator=True)
    assert seen(batch) == (SHOWN, VARIED)
    change_batch_settings(batch=batch, **shown, show_generator=False)
    assert seen(batch) == (SHOWN, VARIED)
    assert not batch.is_imported


def test_the_published_study_says_what_its_annotators_saw(small_study: StudyFolder, tmp_path: Path) -> None:
    ready_accounts(tmp_path / "accounts.json")
    project = build_study(small_study.path, lambda *_: None)
    assert [seen(batch) for batch in project.batches.all()] == [(SHOWN, SHOWN)]


def drawn(file: Path, *options: str) -> set[str]:
    run("import_study", file, *options)
    return set(Assignment.objects.values_list("drawn", flat=True))


def test_how_images_were_drawn_is_unknown_until_somebody_says_it(small_study: StudyFolder) -> None:
    changed = Event.objects.filter(verb="batch_settings_changed").order_by("-pk")
    assert drawn(small_study.path) == {"unknown"}
    assert not changed.exists()
    assert drawn(small_study.path, "--doubles", "random") == {"random", "single"}
    event = changed[0]
    values = (event.data["replaced"], event.data["settings"])
    assert values == ({"doubles": "unknown"}, {"doubles": "random"})
    assert drawn(small_study.path) == {"random", "single"}
    assert drawn(small_study.path, "--doubles", "random") == {"random", "single"}
    assert changed.count() == 1
    assert drawn(small_study.path, "--doubles", "unknown") == {"unknown"}
    assert changed.count() == 2
    with pytest.raises(CommandError, match="invalid choice"):
        drawn(small_study.path, "--doubles", "targeted")


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
    assert not_counted(found)
    counted = {"answers": {"submitted": 3, "counted": 3, "not_counted": []}, **found}
    rows = [[cell.text for cell in row] for row in counted_tables(counted)[0].rows]
    assert rows[-1] == ["Counted: of several on an image, drawn at random: unknown", "2"]
    import_study(small_study.path, project=project, doubles="random")
    frame, _ = load_counted(project)
    stated = dict(computation("agreement", "anatomy")(frame))
    assert "drawn_unknown" not in stated
    assert found.pop("drawn_unknown")
    assert stated == found
