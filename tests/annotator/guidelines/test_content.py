"""The limits of a guideline, and that nothing changes on the way into the database and back."""

from __future__ import annotations

from uuid import uuid4

import pytest

from annotator.guidelines import content as contents
from annotator.guidelines.content import Content, Decision, Example, GuidelineRefused, checked, ours
from annotator.guidelines.differences import Piece, differences, lines
from annotator.guidelines.drafts import DraftChanged, draft_of, guide_of, save_draft
from annotator.models import Event, Guideline
from annotator.protocols.registry import PAGES
from tests.annotator.guidelines.making import drafted, user_of
from tests.factories import ANNOTATOR, LEAD, REVIEWER, make_member, make_project

GUIDE = guide_of("anatomy")
IMAGE = str(uuid4())


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (Content({"missing": "x" * (contents.LONGEST_TEXT + 1)}), "too-long"),
        (Content({"moons": "x"}), "unknown-text"),
        (Content({"missing": "a\u202eb"}), "turned"),
        (Content({"missing": "a\0b"}), "turned"),
        (Content({"missing": f"{'|a' * 20}\n{'|-' * 20}\n" + "|\n" * 49}), "too-many-cells"),
        (Content(decisions=(Decision("x" * (contents.LONGEST_DECISION + 1)),)), "too-long"),
        (Content(decisions=(Decision("x", "moons"),)), "about"),
        (Content(decisions=(Decision("x"),) * (contents.MOST_DECISIONS + 1)), "too-many"),
        (Content(examples=(Example("nothing", ("missing.limbs",)),)), "no-image"),
        (Content(examples=(Example(IMAGE, ()),)), "no-cell"),
        (Content(examples=(Example(IMAGE, ("moons",)),)), "no-cell"),
        (Content(examples=(Example(IMAGE, ("missing.limbs",)),) * 2), "twice"),
        (
            Content(examples=(Example(IMAGE, ("missing.limbs",), "x" * (contents.LONGEST_CAPTION + 1)),)),
            "too-long",
        ),
        (Content({block.key: "語" * 6_000 for block in GUIDE.blocks}), "too-large"),
    ],
)
def test_what_is_too_much_or_unknown_is_refused(content: Content, code: str) -> None:
    with pytest.raises(GuidelineRefused) as refused:
        checked(content, GUIDE)
    assert refused.value.code == code


def test_tables_of_a_thousand_cells_are_accepted() -> None:
    table = f"{'|a' * 20}\n{'|-' * 20}\n" + "|\n" * 23
    assert checked(Content({"missing": f"{table}\n \n{table}"}), GUIDE).texts["missing"].count("|") == 126


def test_an_empty_text_is_ours_again() -> None:
    made = checked(Content({"missing": " \r\n ", "hands": "a\r\nb"}), GUIDE)
    assert made.texts["missing"] == ours(GUIDE).texts["missing"]
    assert made.texts["hands"] == "a\nb"
    assert list(made.texts) == [block.key for block in GUIDE.blocks]


def test_content_survives_its_json() -> None:
    example = Example(
        IMAGE, ("missing.limbs",), "A caption", 3, ({"component": "missing.limbs", "pins": []},)
    )
    content = Content({"missing": "a"}, (Decision("b", "hands", "2026-11-20"),), (example,), drawn=False)
    assert Content.of(content.as_json()) == content
    assert Content.of({}) == Content()


@pytest.mark.parametrize("protocol", sorted(PAGES))
def test_every_guide_names_what_can_be_edited(protocol: str) -> None:
    guide = guide_of(protocol)
    keys = [block.key for block in guide.blocks]
    assert keys[0] == "introduction"
    assert all(block.text for block in guide.blocks)
    assert guide.components.keys() == guide.titles.keys()
    assert {key for named in guide.components.values() for key in named} < set(keys)
    # Of realism: tiers, ratings and invalid; of marks: the two kinds; of forms: questions and their choices.
    topics = {
        "anatomy": 10 + 25,
        "presence": 10 + 25,
        "realism": 3 + 10 + 1,
        "defect-verdict": 1 + 2,
        "defect-marks": 2,
        "defect-check": 2 + 2 * 2,
        "defect-quality": 2 + 2 * 3,
    }
    assert len(guide.topics) == topics[protocol]
    assert checked(ours(guide), guide) == ours(guide)


def test_a_difference_is_shown_line_by_line() -> None:
    assert lines("one\ntwo\nthree\n", "one\n2\nthree\nfour") == [
        Piece("same", "one\n"),
        Piece("removed", "two\n"),
        Piece("added", "2\n"),
        Piece("same", "three\n"),
        Piece("added", "four"),
    ]
    assert lines("", "new") == [Piece("added", "new")]
    assert lines("same", "same") == [Piece("same", "same")]


def test_a_long_text_is_shown_as_a_whole() -> None:
    earlier, later = ("".join(f"_\n{letter}{number}\n" for number in range(300)) for letter in "ab")
    assert lines(earlier, later) == [Piece("removed", earlier), Piece("added", later)]


def test_all_that_differs_is_listed() -> None:
    first, second, third = (Decision(f"Decision number {n} holds.", "hands") for n in (1, 2, 3))
    earlier = Content(ours(GUIDE).texts, (first, second), ())
    later = Content(
        {**ours(GUIDE).texts, "face": "New."}, (first, third), (Example(IMAGE, ("extra.hands",)),), False
    )
    found = differences(earlier, later, GUIDE)
    assert [one.title for one in found] == ["Face", "Decisions", "Examples", "Drawn examples"]
    assert differences(earlier, earlier, GUIDE) == []


pytestmark = pytest.mark.django_db


def test_a_draft_begins_with_ours() -> None:
    project = make_project()
    draft = draft_of(project, "anatomy")
    assert draft.revision == 0
    assert not Guideline.objects.exists()
    assert Content.of(draft.content) == ours(guide_of("anatomy"))


def test_each_change_has_an_event_that_keeps_what_it_replaced() -> None:
    lead = make_member(make_project(), LEAD)
    drafted(lead, missing="First.")
    drafted(lead, missing="Second.")
    first, second = Event.objects.filter(verb="guideline_changed")
    assert (first.data["revision"], second.data["revision"]) == (1, 2)
    assert second.data["replaced"]["texts"]["missing"] == "First."
    assert draft_of(lead.project, "anatomy").edited_by == lead


def test_the_same_again_changes_nothing() -> None:
    lead = make_member(make_project(), LEAD)
    drafted(lead, missing="Same.")
    again = save_draft(
        project=lead.project,
        protocol="anatomy",
        actor=user_of(lead),
        content=Content({"missing": "Same."}),
        replaces=0,
    )
    assert (again.revision, Event.objects.count()) == (1, 1)


def test_the_second_lead_gets_what_the_first_has_stored() -> None:
    lead = make_member(make_project(), LEAD)
    other = make_member(lead.project, LEAD)
    drafted(lead, missing="Mine.")
    for replaces in (0, 7):
        with pytest.raises(DraftChanged) as conflict:
            save_draft(
                project=lead.project,
                protocol="anatomy",
                actor=user_of(other),
                content=Content({"missing": "Theirs."}),
                replaces=replaces,
            )
        assert conflict.value.current.content["texts"]["missing"] == "Mine."
    assert Guideline.objects.get().revision == 1


@pytest.mark.parametrize("role", [ANNOTATOR, REVIEWER])
def test_only_leads_may(role: str) -> None:
    member = make_member(make_project(), role)
    with pytest.raises(GuidelineRefused) as refused:
        drafted(member, missing="x")
    assert refused.value.code == "no-lead"
    assert not Guideline.objects.exists()


def test_a_protocol_without_a_guide_is_refused() -> None:
    with pytest.raises(GuidelineRefused, match="moons"):
        draft_of(make_project(), "moons")
