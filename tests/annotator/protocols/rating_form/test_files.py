"""Forms from files: nine published schemes by command and by page, bundles, refusals by name."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotator.models import Event, RatingForm
from annotator.protocols.rating_form.checking import typed
from annotator.web.views.guidelines.rating_forms import templates
from scoring.service import get_protocol
from tests.analysis.api.callers import calling
from tests.factories import LEAD, make_member, make_project
from tests.scoring.rating_form.test_rules import PEOPLE

pytestmark = pytest.mark.django_db
OVERALL: dict[str, Any] = {
    "name": "overall-rating",
    "title": "Overall rating",
    "headline": "rating",
    "prompt": "shown",
    "items": [
        {
            "name": "rating",
            "kind": "scale",
            "title": "How good is the image for this prompt?",
            "required": True,
            "better": "high",
            "points": [[point, ""] for point in range(1, 8)],
        }
    ],
}
"""The seven points of ImageReward."""
RATING = OVERALL["items"][0]
SCHEMES = [*templates().values(), OVERALL]


def added(path: Path, *definitions: Any, project: str = "pilot") -> list[str]:
    files = [path / f"{place}.json" for place in range(len(definitions))]
    for file, definition in zip(files, definitions, strict=True):
        file.write_text(json.dumps(definition))
    out = StringIO()
    call_command("add_form", *map(str, files), project=project, stdout=out)
    return out.getvalue().split()


def test_nine_published_schemes_by_command_by_page_and_by_api(tmp_path: Path) -> None:
    pilot, other = make_project("pilot"), make_project("other")
    slugs = added(tmp_path, *SCHEMES)
    assert len(set(slugs)) == 9
    assert added(tmp_path, *SCHEMES) == slugs  # again: nothing changes
    lead, client = make_member(other, LEAD), Client()
    assert lead.user is not None
    client.force_login(lead.user)
    for scheme in SCHEMES:
        fields = typed(scheme) | {"action": "save"}
        assert client.post(f"/projects/{other.slug}/forms/new/", fields).status_code == 302
    assert list(other.rating_forms.values_list("slug", flat=True)) == slugs
    found = calling(make_member(pilot, LEAD)).get("/projects/pilot/forms").json()["results"]
    assert {row["slug"]: row["definition"]["title"] for row in found} == {
        slug: scheme["title"] for slug, scheme in zip(slugs, SCHEMES, strict=True)
    }
    third = make_project("third")
    program = calling(make_member(third, LEAD))
    sent = [program.post("/projects/third/forms", scheme) for scheme in (*SCHEMES, *SCHEMES)]
    assert [(answer.status_code, answer.json()["slug"]) for answer in sent] == [
        (201, slug) for slug in (*slugs, *slugs)
    ]
    assert third.rating_forms.count() == 9
    assert set(Event.objects.filter(project=third).values_list("verb", "data__protocol")) == {
        ("form_saved", slug) for slug in slugs
    }
    (own, *_) = slugs
    assert program.get(f"/projects/third/forms/{own}").json()["definition"]["title"] == SCHEMES[0]["title"]


def test_the_api_names_the_place_of_each_fault() -> None:
    program = calling(make_member(make_project("pilot"), LEAD))

    def told(definition: object) -> Any:
        answer = program.post("/projects/pilot/forms", definition)
        assert answer.status_code == 422
        return answer.json()["error"]["fields"]

    assert told(OVERALL | {"title": "", "items": [RATING, RATING | {"name": "two", "kind": "maybe"}]}) == {
        "title": ["Enter the title."],
        "items.1.kind": ["Select a valid choice. maybe is not one of the available choices."],
    }
    assert told(OVERALL | {"items": []}) == {"": ["A form has 1 to 12 items; this one has 0."]}
    assert told([]) == {"": ["The file is not a rating form."]}
    forged = {"protocol": "form-overall-rating-000000000000", "form": OVERALL}
    assert told(forged) == {"": ["the definition does not match its name."]}
    assert not RatingForm.objects.exists()


def test_the_description_in_a_bundle_is_read_again(tmp_path: Path) -> None:
    make_project("pilot")
    (slug,) = added(tmp_path, PEOPLE.as_json())
    described = {"protocol": slug, "form": get_protocol(slug).form}
    assert added(tmp_path, described) == [slug]
    # A digest that somebody has changed is refused by name.
    with pytest.raises(CommandError, match=r"0\.json: the definition does not match its name\."):
        added(tmp_path, described | {"form": PEOPLE.as_json() | {"title": "Other words"}})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"items": []}, "A form has 1 to 12 items; this one has 0."),
        ({"title": ""}, "Enter the title."),
        ({"items": [RATING | {"points": [[1, ""]]}]}, "Question 1: Enter 2 to 11 different points"),
        ({"items": [RATING | {"kind": "maybe"}]}, "Question 1: Select a valid choice."),
        ({"items": [RATING | {"name": "note"}]}, "“note” cannot be the name of a column."),
        ({"items": [{"name": "x"}, 7]}, "The file is not a rating form."),
    ],
)  # fmt: skip
def test_a_refusal_names_file_and_question_and_stores_nothing(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    project = make_project("pilot")
    with pytest.raises(CommandError, match=r"1\.json: ") as refused:
        added(tmp_path, OVERALL, OVERALL | change)
    assert told in str(refused.value)
    assert not project.rating_forms.exists()
