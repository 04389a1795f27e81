"""What was settled, as a bundle must not say it: refused by name, with nothing stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotator.models import Adjudication, Project
from tests.analysis.bundles.making import kept_bundle, make_picture, with_changed
from tests.analysis.bundles.test_bad_input import file_in, refusal, with_json, with_row
from tests.annotator.settling import make_case, settle
from tests.factories import make_payload, make_project

pytestmark = pytest.mark.django_db
ROWS = "restore/adjudications.jsonl"
ROW: dict[str, Any] = {"causes": ["missed"], "proposed": []}


def make_settled() -> Project:
    """One image that was settled."""
    project = make_project("small", name="Small")
    settle(make_case(project, make_picture(project)))
    return project


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of one image that was settled; its project is gone."""
    return kept_bundle(make_settled, tmp_path / "small.zip")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"image": 2}, "“image” is 2; expected a whole number from 1 to 1"),
        ({"decided_by": 0}, "“decided_by” is 0; expected a whole number from 1 to 3"),
        (
            {"protocol": "of tomorrow"},
            "“protocol” is of tomorrow; expected a known protocol",
        ),
        ({"status": "maybe"}, "“status” is maybe; expected settled or withdrawn"),
        ({"version": 0}, "“version” is 0"),
        ({"note": "x" * 2001}, "expected a text of 0 to 2000 characters"),
        ({"decided_at": "yesterday"}, "“decided_at” is yesterday; expected a time such as"),
        ({"settled_from": [[1]]}, "expected a list of pairs, line and version"),
        ({"settled_from": [[1, True]]}, "expected a list of pairs, line and version"),
        (
            {"payload": make_payload([("missing.limbs", "5/4c")])},
            "the adjudicated value is invalid: 5 of 4 is not possible",
        ),
        ({"payload": make_payload([("missing.limbs", "1/4a")])}, "the ratings do not match the marks"),
        ({"ratings": []}, "the ratings do not match the marks"),
        ({"by": "me"}, "the key “by” is unknown"),
        ({"causes": ["missed"]}, '“causes” is ["missed"]; expected an object'),
        ({"causes": {"nose": ROW}}, "the causes of “nose”: there is no such component"),
        ({"causes": {"extra.face": ["missed"]}}, "expected causes, proposed, note"),
        ({"causes": {"extra.face": ROW | {"by": "me"}}}, "expected causes, proposed, note"),
        ({"causes": {"extra.face": ROW | {"causes": ["mood"]}}}, '“causes” is ["mood"]; expected a list of'),
        ({"causes": {"extra.face": ROW | {"causes": []}}}, "at least one cause is needed"),
        ({"causes": {"extra.face": ROW | {"note": "x" * 301}}}, "expected 1 to 300 characters"),
    ],
)
@pytest.mark.few(4)
def test_a_row_that_cannot_be(bundle: Path, change: dict[str, Any], said: str) -> None:
    refused = refusal(with_row(bundle, ROWS, 1, lambda row: row.update(change)))
    assert refused.startswith(f"{ROWS}, line 1: ")
    assert said in refused


def test_two_values_of_one_image(bundle: Path) -> None:
    twice = with_changed(bundle, bundle.with_name("twice.zip"), {ROWS: file_in(bundle, ROWS) * 2})
    assert f"{ROWS}, line 2: the row is a duplicate" in refusal(twice)


def test_values_that_were_taken_out_are_missed(bundle: Path) -> None:
    without = with_changed(bundle, bundle.with_name("without.zip"), {ROWS: None})
    assert "restore/adjudications.jsonl has 0 rows; project.json says 1." in refusal(without)


def test_values_that_were_put_in_are_too_many(bundle: Path) -> None:
    more = with_json(bundle, lambda found: found["counts"].pop("adjudications"))
    assert "restore/adjudications.jsonl has 1 rows; project.json says 0." in refusal(more)


def test_nothing_of_a_refused_bundle_stays(bundle: Path) -> None:
    refusal(with_row(bundle, ROWS, 1, lambda row: row.update(ratings=[])))
    assert not Adjudication.objects.exists()
    assert not Project.objects.filter(slug__startswith="restoring").exists()
