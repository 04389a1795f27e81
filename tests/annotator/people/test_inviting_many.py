"""Many invitations: all lines are checked first, each refused one is named, and all are stored or none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotator.models import Event, Invitation, Project
from annotator.people.invitations import invitation_with, revoke_invitation
from annotator.people.inviting_many import (
    MOST_LINES,
    LinesRefused,
    MadeInvitation,
    invite_many,
    links_made_before,
    read_invite_lines,
)
from annotator.people.secrets import new_secret
from tests.annotator.invited import invite
from tests.factories import make_member, make_user

pytestmark = pytest.mark.django_db


def many(project: Project, text: str, seed: str | None = None, **more: Any) -> list[MadeInvitation]:
    return invite_many(project=project, text=text, seed=seed or new_secret(), actor=None, **more)


def refused(project: Project, text: str) -> list[tuple[int, str]]:
    """The numbers and codes of the refused lines; nothing is stored."""
    before = (Invitation.objects.count(), project.memberships.count(), Event.objects.count())
    with pytest.raises(LinesRefused) as caught:
        many(project, text)
    assert (Invitation.objects.count(), project.memberships.count(), Event.objects.count()) == before
    assert all(refusal.message for refusal in caught.value.refusals)
    return [(refusal.number, refusal.code) for refusal in caught.value.refusals]


def test_lines_are_read_as_lists_and_copied_tables() -> None:
    text = (
        "code, email, role\r\n\r\nann1\nann2,a@example.org\rann3;b@example.org;Reviewer\n"
        "rev1\treviewer\n l 1 ,, lead "
    )
    assert [(line.number, line.code, line.email, line.role) for line in read_invite_lines(text)[0]] == [
        (3, "ann1", "", "annotator"),
        (4, "ann2", "a@example.org", "annotator"),
        (5, "ann3", "b@example.org", "reviewer"),
        (6, "rev1", "", "reviewer"),
        (7, "l 1", "", "lead"),
    ]


def test_everybody_is_invited_with_a_link_each(project: Project) -> None:
    make_member(project, user=make_user("waiting", is_active=False), code="imported1")
    made = many(project, "p1\np2,p2@example.org,reviewer\nimported1")
    assert [one.invitation.code for one in made] == ["p1", "p2", "imported1"]
    assert len({one.secret for one in made}) == 3
    for one in made:
        assert len(one.secret) == 43
        assert invitation_with(one.secret) == one.invitation
    assert [one.invitation.made_place for one in made] == [True, False, False]
    assert sorted(project.memberships.values_list("code", flat=True)) == ["imported1", "p1"]
    events = json.dumps(list(Event.objects.values_list("verb", "data")))
    assert Event.objects.filter(verb="person_invited").count() == 3
    assert "example.org" not in events
    assert not any(one.secret in events for one in made)


def test_a_repeated_form_gives_the_same_links(project: Project) -> None:
    seed = new_secret()
    first = many(project, "p1\np2", seed)
    # Browsers send other line ends in a second form.
    assert many(project, "p1\r\np2\r\n", seed) == first == links_made_before(project, "p1\np2", seed)
    assert Invitation.objects.count() == Event.objects.count() == 2


def test_an_edited_form_is_checked_anew(project: Project) -> None:
    seed = new_secret()
    many(project, "p1\np2", seed)
    with pytest.raises(LinesRefused) as caught:
        many(project, "p1\np2\np3", seed)
    assert [refusal.code for refusal in caught.value.refusals] == ["promised", "promised"]
    assert links_made_before(project, "p1\np2\np3", seed) == []


def test_replaced_links_are_not_given_again(project: Project) -> None:
    seed = new_secret()
    first, _ = many(project, "p1\np2", seed)
    Invitation.objects.filter(pk=first.invitation.pk).update(secret_sha256="0" * 64)
    assert [one.line.code for one in links_made_before(project, "p1\np2", seed)] == ["p2"]


def test_every_refused_line_is_named_and_nothing_stored(project: Project) -> None:
    make_member(project, code="ada")
    invite(project=project, role="annotator", code="ann7", secret=new_secret(), actor=None)
    lines = {
        "": [(1, "empty")],
        "\n \n": [(1, "empty")],
        "p1\nada": [(2, "taken")],
        "p1\n\nADA": [(3, "similar")],
        "ann7\nANN7": [(1, "promised"), (2, "promised")],
        "p1\np1": [(2, "twice")],
        "p1\nP1": [(2, "twice")],
        "p1\nр1": [(2, "twice")],  # Cyrillic
        "pа1": [(1, "code")],  # mixed scripts
        "p1, nobody": [(1, "unknown-cell")],
        "p1, a@example.org, boss": [(1, "unknown-cell")],
        "p1, a@b@c": [(1, "email")],
        "p1 a@example.org\np2 b@example.org, reviewer\nada": [(1, "no-comma"), (2, "no-comma"), (3, "taken")],
        "p1, a@example.org\np2, A@example.org": [(2, "twice")],
        "p1, a@example.org, lead, x": [(1, "unknown-cell")],
        "=cmd\np2": [(1, "code")],
        ", a@example.org": [(1, "code")],
        "p\x001\np2": [(1, "code")],
        "p\u202e1": [(1, "code")],
        "p1, a\x00@example.org": [(1, "email")],
        "p1, reviewer\u202e": [(1, "unknown-cell")],
        "x" * 81: [(1, "code")],
        "p1\np2, nobody\nada\nP1": [(2, "unknown-cell"), (3, "taken"), (4, "twice")],
    }
    assert {text: refused(project, text) for text in lines} == lines


def test_what_was_found_is_shown_without_what_hides(project: Project) -> None:
    with pytest.raises(LinesRefused) as caught:
        many(project, "p\u202e\x001" + "x" * 100)
    [refusal] = caught.value.refusals
    assert refusal.found.startswith("p��1xx")
    assert len(refusal.found) == 61


def test_five_hundred_lines_and_no_more(project: Project) -> None:
    text = "\n".join(f"p{number}" for number in range(1, MOST_LINES + 1))
    assert refused(project, f"{text}\nlast") == [(MOST_LINES + 1, "too-many")]
    assert len(many(project, f"code,email\n{text}\n\n")) == MOST_LINES == project.memberships.count()


def test_the_places_of_revoked_invitations_go(project: Project) -> None:
    for one in many(project, "p1\np2"):
        assert revoke_invitation(invitation=one.invitation, actor=None)
    assert not project.memberships.exists()
