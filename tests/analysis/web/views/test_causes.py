"""Causes on the adjudication page, in their report and in the export."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from analysis.data.causes import recorded_causes
from analysis.tables.causes import causes_tables
from annotator.annotations.causes import CauseChoice
from annotator.models import Adjudication, Event, Membership
from annotator.people.adjudicators import choose_adjudicators
from scoring.causes import CAUSES
from tests.annotator.adjudicating import Case, page_of, settle, submit_again, typed
from tests.factories import REVIEWER, make_member, user_of
from tests.scoring.test_causes import ANSWER, REFERENCE
from tests.support.codes import codes, numbers

GAP = CauseChoice(("guideline_gap",), "Is a sleeve a limb?")


# Somebody decides on no error in the limbs.
DECIDED = {"marks.missing.limbs": "=", "marks.extra.hands.other": "1/3b"}


def decision(**causes: str) -> dict[str, Any]:
    """What is sent without script, with the boxes beside the limbs."""
    return typed(**{f"causes.missing.limbs.{name}": value for name, value in causes.items()}) | DECIDED


def stored() -> Any:
    return Adjudication.objects.get().causes


class TestTheForm:
    """Boxes beside each differing cell; leaving them empty stores what is proposed."""

    def test_nothing_ticked_is_as_proposed(self, case: Case, client: Client) -> None:
        assert client.post(page_of(case.image), decision()).status_code == 302
        assert stored() == {"missing.limbs": {"causes": ["not_an_error"], "proposed": ["not_an_error"]}}

    def test_ticked(self, case: Case, client: Client) -> None:
        sent = decision(slip="1", guideline_gap="1", note="Is a sleeve a limb?")
        assert client.post(page_of(case.image), sent).status_code == 302
        assert stored()["missing.limbs"] == {
            "causes": ["guideline_gap", "slip"],
            "proposed": ["not_an_error"],
            "note": "Is a sleeve a limb?",
        }
        page = client.get(page_of(case.image)).content.decode()
        assert (
            len(re.findall(r'name="causes\.missing\.limbs\.(?:slip|guideline_gap)"[^>]* checked', page)) == 2
        )
        assert 'value="Is a sleeve a limb?"' in page
        assert 'name="causes.missing.limbs.by_hand" value="1"' in page

    def test_emptied_by_hand_is_refused(self, case: Case, client: Client) -> None:
        answer = client.post(page_of(case.image), decision(by_hand="1", note="Kept."))
        assert answer.status_code == 422
        assert "Choose at least one cause." in answer.content.decode()
        assert 'value="Kept."' in answer.content.decode()
        assert not Adjudication.objects.exists()

    def test_who_changed_since_is_flagged(self, case: Case, client: Client) -> None:
        settle(case, causes={})
        assert "changed-since" not in codes(client.get(page_of(case.image)))
        submit_again(case.b, ANSWER)
        assert codes(client.get(page_of(case.image))).count("changed-since") == 1


class TestAnAdjudicator:
    """A reviewer with the right in the batch, who sees letters only."""

    @pytest.fixture
    def reviewer(self, case: Case, client: Client) -> Membership:
        member = make_member(case.project, REVIEWER, code="rev")
        client.force_login(user_of(member))
        return member

    def test_only_with_the_right(self, case: Case, reviewer: Membership, client: Client) -> None:
        assert client.get(page_of(case.image)).status_code == 404
        assert client.post(page_of(case.image), decision()).status_code == 404
        choose_adjudicators(batch=case.batch, chosen=[reviewer], actor=case.user)
        assert client.get(page_of(case.image)).status_code == 200

    def test_codes_stay_hidden(self, case: Case, reviewer: Membership, client: Client) -> None:
        choose_adjudicators(batch=case.batch, chosen=[reviewer], actor=case.user)
        for answer in (
            client.get(page_of(case.image)),
            client.post(page_of(case.image), decision() | {"action": "show-codes"}),
        ):
            page = answer.content.decode()
            assert "anno1" not in page
            assert "anno2" not in page
            assert "show-codes" not in page
            assert "/annotations/" not in page
        Adjudication.objects.all().delete()
        assert client.post(page_of(case.image), decision()).status_code == 302
        row = Adjudication.objects.get()
        assert row.decided_by == reviewer
        assert Event.objects.get(verb="adjudicated", request_key=row.request_key).data["codes_hidden"] is True


class TestTheReport:
    """Causes by place, pair, generator, cost and guideline."""

    def table(self, case: Case, slug: str) -> list[list[str]]:
        found = recorded_causes(case.project, "anatomy")
        (table,) = (one for one in causes_tables(found, CAUSES) if one.slug == slug)
        return [[cell.text for cell in row] for row in table.rows]

    def test_the_worked_example(self, case: Case) -> None:
        """The first annotator says what is decided."""
        submit_again(case.a, REFERENCE)
        submit_again(case.b, ANSWER)
        settle(case, REFERENCE, causes={"missing.face": CauseChoice(("guideline_gap",))})
        counted = {row[0]: row[1:] for row in self.table(case, "causes")}
        # total and severity of missing.hands; count and severity of configuration.hands
        assert counted["Severity"] == ["2", "50.0%", "2", "0"]
        assert counted["Total"] == counted["Number affected"] == ["1", "25.0%", "1", "0"]
        assert counted["Guideline gap"] == ["1", "25.0%", "0", "1"]
        assert counted["Missed"] == ["0", "0.0%", "0", "0"]
        assert [row[:2] for row in self.table(case, "type")] == [
            ["Missing", "2"],
            ["Configuration", "1"],
            ["Proportion", "1"],
        ]
        assert [row[:2] for row in self.table(case, "part")] == [
            ["Hands", "2"],
            ["Face", "1"],
            ["Limbs", "1"],
        ]
        assert [row[:2] for row in self.table(case, "generator")] == [["painter", "4"]]
        assert [row[:2] for row in self.table(case, "pair")] == [["anno1 – anno2", "4"]]
        # missing.hands: 1/3b and 1/4c have the same number; configuration.hands: 2 and 1 have not.
        assert [row[:2] + row[-1:] for row in self.table(case, "loss")] == [
            ["Only one marked it", "2", "0"],
            ["Different number affected", "1", "1"],
            ["Different total", "1", "1"],
            ["All", "4", "2"],
        ]

    def test_the_page(self, case: Case, client: Client) -> None:
        page = client.get("/projects/pilot/causes/")
        assert "none-recorded" in codes(page)
        settle(case)
        page = client.get("/projects/pilot/causes/")
        assert (numbers(page, "unrecorded"), "none-recorded" in codes(page)) == (["1"], True)
        settle(case, replaces=1, causes={"missing.limbs": GAP})
        page = client.get("/projects/pilot/causes/")
        assert numbers(page, "adjudicated") == ["1"]
        assert "unrecorded" not in codes(page)
        assert "gaps" in codes(page)
        submit_again(case.b, ANSWER)
        page = client.get("/projects/pilot/causes/")
        assert numbers(page, "outdated") == ["1"]
        assert "anno1 – anno2" not in page.content.decode()
