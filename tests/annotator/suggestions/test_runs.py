"""Runs of suggestions: stored once, never edited, withdrawn; who is shown which."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from annotator.batches.assignments import InvalidBatch, change_batch_settings
from annotator.models import Batch, Event, Image, Project, Suggestion, SuggestionRun
from annotator.suggestions.runs import SuggestionsRefused, run_to_show, store_run, withdraw_run
from annotator.web.views.labelling.annotation_state import state_of
from tests.annotator.planned import make_study, plan_for, release_plan
from tests.annotator.racing import race
from tests.factories import LEAD, make_image, make_member, make_project
from tests.support.codes import refused

pytestmark = pytest.mark.django_db
SIX = {"people": 3, "visible": {"hands": 6}}


def store(project: Project, *images: Image, payload: Any = SIX, **how: Any) -> tuple[SuggestionRun, int]:
    how = {"source": "counter", "actor": None, **how}
    return store_run(project=project, suggested={image.pk: payload for image in images}, **how)


def released(project: Project, name: str = "first", suggestions: int = 50) -> Batch:
    plan = plan_for(project, "ABCD", overlap=1, per_image=2)
    return release_plan(project=project, name=name, plan=plan, own_settings={"suggestions": suggestions})


def test_a_run_is_stored_once_and_never_edited() -> None:
    project = make_project("counted")
    one, two = make_image(project), make_image(project)
    run, new = store(project, one, sha256="a" * 64, source_version="1.0", settings_text="threshold 0.3")
    assert (new, str(run), run.settings_text, run.sha256) == (1, "counter 1.0", "threshold 0.3", "a" * 64)
    assert store(project, one, source_version="1.0") == (run, 0)
    with refused(SuggestionsRefused, "run-differs"):
        store(project, one, payload={"visible": {"hands": 5}}, source_version="1.0")
    with refused(SuggestionsRefused, "run-there"):
        store(project, one, two, source_version="1.0")
    assert store(project, one, two, source_version="1.0", adds=True) == (run, 1)
    assert [event.data["images"] for event in Event.objects.filter(verb="suggestions_imported")] == [1, 1]
    with refused(SuggestionsRefused, "images-gone"):
        store_run(project=project, suggested={10**9: SIX}, actor=None, source="counter")
    assert SuggestionRun.objects.count() == 1


def test_a_withdrawn_run_takes_nothing_more_and_is_shown_by_no_batch() -> None:
    project = make_project("counted")
    image, lead = make_image(project), make_member(project, LEAD)
    first, _ = store(project, image, source_version="1")
    second, _ = store(project, image, source_version="2")
    assert run_to_show(project, "counts") == second
    assert withdraw_run(second, actor=lead.user)
    assert not withdraw_run(second, actor=lead.user)
    assert run_to_show(project, "counts") == first
    with refused(SuggestionsRefused, "run-withdrawn"):
        store(project, make_image(project), source_version="2", adds=True)
    assert Event.objects.get(verb="suggestions_withdrawn").actor == lead.user


@pytest.mark.django_db(transaction=True)
def test_of_two_imports_at_once_one_stores() -> None:
    project = make_project("counted")
    images = [make_image(project) for _ in range(20)]
    outcomes: list[Any] = race([partial(store, project, *images), partial(store, project, *images)])
    assert sorted(new for _, new in outcomes) == [0, 20]
    assert Suggestion.objects.count() == 20


def test_the_plan_draws_who_sees_suggestions_and_nobody_else_gets_any() -> None:
    project = make_study("pilot")
    *suggested, bare = project.images.order_by("pk")
    canary = {"people": 77, "visible": {"hands": 88}}
    run, _ = store(project, *suggested, payload=canary, source="canary-source")
    batch = released(project)
    assert batch.suggestions == run
    assert Event.objects.get(verb="batch_released").data["suggestions"] == run.pk
    rows = list(batch.assignments.select_related("image", "annotator", "batch__project"))
    assert {row.arm for row in rows if row.image == bare} == {""}
    for code in "ABCD":
        for generator in {row.image.generator for row in rows}:
            own = [
                r.arm for r in rows if (r.annotator.code, r.image.generator) == (code, generator) and r.arm
            ]
            assert abs(own.count("with") - own.count("without")) <= 1, (code, generator)
    for row in rows:
        assert row.annotator.user is not None
        # tests/annotator/web/views/test_hidden.py compares the pages.
        told = {"run": run.pk, "source": "canary-source", **canary} if row.arm == "with" else None
        assert state_of(row, row.annotator.user)["suggestion"] == told
    withdraw_run(run, actor=None)
    shown = next(row for row in rows if row.arm == "with")
    assert shown.annotator.user is not None
    assert state_of(shown, shown.annotator.user)["suggestion"] is None


def test_always_shows_all_and_the_setting_stays_as_released() -> None:
    project = make_study("pilot")
    with pytest.raises(InvalidBatch) as told:
        released(project)
    assert told.value.code == "no-run"
    store(project, *project.images.all())
    batch = released(project, suggestions=100)
    assert set(batch.assignments.values_list("arm", flat=True)) == {"with"}
    with pytest.raises(ValueError, match="fixed when the batch is released"):
        change_batch_settings(
            batch=batch, show_prompt=False, guided=False, score_shown="choice", actor=None,
            own_settings={"suggestions": 0},
        )  # fmt: skip
    with refused(SuggestionsRefused, "run-shown"):
        store(project, make_image(project), adds=True)
    plain = release_plan(project=project, name="plain", plan=plan_for(project))
    assert plain.settings == {}
    assert set(plain.assignments.values_list("arm", flat=True)) == {""}


def test_the_share_is_a_whole_percentage_and_is_drawn_as_planned() -> None:
    project = make_study("pilot")
    store(project, *project.images.all())
    for wrong in (-1, 101, True, "50", 0.5):
        with pytest.raises(ValueError, match="is not one of its values"):
            released(project, suggestions=wrong)  # type: ignore[arg-type]
    batch = released(project, suggestions=20)
    rows = list(batch.assignments.values_list("annotator__code", "arm"))
    for code in "ABCD":
        own = [arm for who, arm in rows if who == code]
        assert own.count("with") in (len(own) // 5, len(own) // 5 + 1)
    assert released(project, name="none", suggestions=0).suggestions is None
