"""What annotators saw when they judged elsewhere: not known unless somebody says so."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotator.batches.assignments import change_batch_settings
from annotator.demo.projects import build_study, ready_accounts
from annotator.models import Batch, Event, Project
from tests.analysis.factories import make_submitted
from tests.annotator.exchange.conftest import StudyFolder
from tests.factories import make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db

UNKNOWN, SHOWN, HIDDEN, VARIED = (
    Batch.Seen.UNKNOWN,
    Batch.Seen.SHOWN,
    Batch.Seen.HIDDEN,
    Batch.Seen.VARIED,
)


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
