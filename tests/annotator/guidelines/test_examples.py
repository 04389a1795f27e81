"""Examples: nobody learns the answer to an image they have still to judge, and none where it came from."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.guidelines.content import Decision
from annotator.guidelines.drafts import guide_of
from annotator.guidelines.examples import example_image_for, open_for, shown_to
from annotator.guidelines.reading import MOST_SHOWN, as_markdown, by_component
from annotator.models import Assignment, GuidelineVersion, Image, Membership
from tests.annotator.guidelines.making import RULED, drafted, example_of, publication, user_of
from tests.annotator.settling import SETTLED, Case, make_case, settle, withdraw
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db

SECRET = {"generator": "Quillfern-XL", "prompt": "seven dancers", "source_name": "quillfern_0007.png"}


@pytest.fixture
def case() -> Case:
    project = make_project()
    case = make_case(project, make_image(project, **SECRET))
    payload = make_payload([("missing.limbs", "1/4b"), ("extra.hands", "1/3b")])
    payload["marks"][0]["pins"] = [{"x": 0.25, "y": 0.5}]
    settle(case, payload)
    drafted(case.lead, examples=(example_of(case, "missing.limbs", caption="A stump."),))
    publication(case.lead)
    case.project.refresh_from_db()
    return case


def cells_of(member: Membership) -> dict[str, list[int]]:
    member = Membership.objects.select_related("project", "user").get(pk=member.pk)
    told = by_component(member, "anatomy", guide_of("anatomy"), user_of(member))
    assert told is not None
    found: dict[str, list[int]] = told["cells"]
    return found


def test_the_labelling_page_gets_texts_decisions_and_examples(case: Case) -> None:
    drafted(
        case.lead,
        missing="Not **there**.",
        decisions=(RULED, Decision("Later.", "missing.hands", "2026-11-21"), Decision("General.")),
        examples=(example_of(case, "missing.limbs", caption="A stump."),),
    )
    publication(case.lead, "Hands ruled.")
    ada = Membership.objects.select_related("project").get(pk=make_member(case.project).pk)
    told = by_component(ada, "anatomy", guide_of("anatomy"), user_of(ada))
    assert told is not None
    assert (told["version"], told["summary"]) == ("1.1", "Hands ruled.")
    # Only what is not ours.
    assert told["texts"] == {"missing": "Not there."}
    assert told["decisions"] == {"missing.hands": ["Later.", "A hand behind the back is not missing."]}
    assert told["cells"] == {"missing.limbs": [0]}
    [example] = told["examples"]
    assert (example["alt"], example["caption"]) == ("Missing · Limbs 1/4b", "A stump.")
    assert example["pins"] == [[0.25, 0.5]]


def test_an_example_tells_neither_generator_nor_prompt_nor_file(case: Case) -> None:
    ada = Membership.objects.select_related("project").get(pk=make_member(case.project).pk)
    told = json.dumps(by_component(ada, "anatomy", guide_of("anatomy"), user_of(ada)))
    stored = json.dumps(GuidelineVersion.objects.get().content)
    for text in (told, stored):
        assert [secret for secret in (*SECRET.values(), case.image.sha256) if secret in text] == []


def test_it_is_hidden_from_whoever_has_still_to_judge_the_image(case: Case) -> None:
    ada, bob = make_member(case.project), make_member(case.project)
    assignment = make_assignment(ada, image=case.image)
    assert (cells_of(ada), cells_of(bob)) == ({}, {"missing.limbs": [0]})
    assert open_for([case.image.pk]) == {case.image.pk}
    for status, hidden in (("done", False), ("skipped", True), ("open", True)):
        Assignment.objects.filter(pk=assignment.pk).update(status=status)
        assert (cells_of(ada) == {}) is hidden
    Assignment.objects.filter(pk=assignment.pk).update(status="withdrawn", position=None)
    assert cells_of(ada) != {}
    assert open_for([case.image.pk]) == set()


def test_it_is_hidden_again_before_a_second_pass(case: Case) -> None:
    assert cells_of(case.a.assignment.annotator) != {}
    again = make_batch(case.project, status="preparing")
    make_assignment(case.a.assignment.annotator, image=case.image, batch=again, pass_no=1)
    assert cells_of(case.a.assignment.annotator) == {}


def test_a_deleted_image_disappears(case: Case) -> None:
    ada = make_member(case.project)
    assert example_image_for(user_of(ada), case.image.public_id) == case.image
    Image.objects.filter(pk=case.image.pk).update(goes_at=timezone.now() + timedelta(days=9))
    assert cells_of(ada) == {}
    assert example_image_for(user_of(ada), case.image.public_id) is None
    Image.everything.filter(pk=case.image.pk).update(goes_at=None)
    assert cells_of(ada) != {}


def test_a_value_that_no_longer_counts_is_not_shown(case: Case) -> None:
    ada = make_member(case.project)
    settle(case, SETTLED, replaces=1)
    assert cells_of(ada) == {}
    publication(case.lead, "Adjudicated anew.")
    assert cells_of(ada) != {}
    withdraw(case, replaces=2)
    assert cells_of(ada) == {}


def test_its_image_is_for_members_of_a_project_that_shows_it(case: Case) -> None:
    ada, stranger, off = make_member(case.project), make_member(make_project()), make_member(case.project)
    other = make_image(case.project)
    Membership.objects.filter(pk=off.pk).update(is_active=False)
    found = [example_image_for(user_of(one), case.image.public_id) for one in (ada, stranger, off)]
    assert found == [case.image, None, None]
    assert example_image_for(user_of(ada), other.public_id) is None
    drafted(case.lead, missing="Without the example.")
    publication(case.lead)
    assert example_image_for(user_of(ada), case.image.public_id) is None


@pytest.mark.parametrize("count", [1, 3, 5])
def test_it_costs_the_same_whatever_their_number(
    count: int, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    project = make_project()
    cases = [make_case(project) for _ in range(count)]
    for case in cases:
        settle(case)
    lead = cases[0].lead
    drafted(lead, examples=tuple(example_of(case) for case in cases))
    publication(lead)
    ada = Membership.objects.select_related("project").get(pk=make_member(project).pk)
    user = user_of(ada)
    with django_assert_num_queries(4):  # type: ignore[operator]  # version, adjudications, open, without faces
        told = by_component(ada, "anatomy", guide_of("anatomy"), user)
    assert told is not None
    assert len(told["examples"]) == len(told["cells"]["missing.limbs"]) == min(count, MOST_SHOWN)


def test_without_a_version_nothing_is_asked(django_assert_num_queries: pytest.FixtureRequest) -> None:
    ada = Membership.objects.select_related("project").get(pk=make_member(make_project()).pk)
    user = user_of(ada)
    with django_assert_num_queries(0):  # type: ignore[operator]
        assert by_component(ada, "anatomy", guide_of("anatomy"), user) is None
        assert shown_to(ada, "anatomy", (), user) == []


def test_a_version_as_markdown(case: Case) -> None:
    drafted(
        case.lead, missing="Not **there**.", decisions=(RULED,), examples=(example_of(case, caption="So."),)
    )
    text = as_markdown(publication(case.lead, "Ruled."), "Pilot", guide_of("anatomy"))
    assert text.startswith("# Pilot: guideline, version 1.1\n\nPublished ")
    for part in (
        "## Missing\n\nNot **there**.",
        "### Missing · Hands, 2026-11-20\n\nA hand behind",
        "- Missing · Limbs 1/4b: So.",
    ):
        assert part in text
