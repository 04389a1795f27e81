"""Forms from files: nine published schemes by page and by the API, bundles, refusals by name."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.protocols.generic import GENERIC
from annotator.models import Event, RatingForm
from annotator.protocols.rating_form.checking import typed
from annotator.web.views.guidelines.rating_forms import templates
from scoring.service import get_protocol
from tests.analysis.api.callers import calling
from tests.factories import LEAD, make_member, make_project
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
RATING: dict[str, Any] = {
    "name": "rating",
    "kind": "scale",
    "title": "How good is the image for this prompt?",
    "required": True,
    "better": "high",
    "points": [[point, ""] for point in range(1, 8)],
}
OVERALL: dict[str, Any] = {"name": "overall-rating", "title": "Overall rating", "headline": "rating"}
OVERALL |= {"prompt": "shown", "items": [RATING]}
"""The seven points of ImageReward."""
SCHEMES = [*templates().values(), OVERALL]


def test_nine_published_schemes_by_page_and_by_one_script_through_the_api() -> None:
    other = make_project("other")
    client = signed_in(make_member(other, LEAD))
    for scheme in SCHEMES:
        fields = typed(scheme) | {"action": "save"}
        assert client.post(f"/projects/{other.slug}/forms/new/", fields).status_code == 302
    slugs = list(other.rating_forms.values_list("slug", flat=True))
    assert len(set(slugs)) == 9
    third = make_project("third")
    program = calling(make_member(third, LEAD))
    # As a bundle describes them, they are the same forms.
    described = [GENERIC.told(get_protocol(slug), other) for slug in slugs]
    sent = [program.post("/projects/third/forms", scheme) for scheme in (*SCHEMES, *described)]
    assert [(answer.status_code, answer.json()["slug"]) for answer in sent] == [
        (201, slug) for slug in (*slugs, *slugs)
    ]
    assert third.rating_forms.count() == 9
    assert set(Event.objects.filter(project=third).values_list("verb", "data__protocol")) == {
        ("form_saved", slug) for slug in slugs
    }
    for slug, scheme in zip(slugs, SCHEMES, strict=True):
        stored = program.get(f"/projects/third/forms/{slug}").json()["definition"]
        assert stored["items"] == scheme["items"]


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
    for items in (0, 13):
        refused = [f"A form has 1 to 12 questions; this one has {items}."]
        assert told(OVERALL | {"items": [RATING] * items}) == {"": refused}
    no_number = "Add a scale, a number or a yes-or-no question: reports compare images by one number."
    assert told({"title": "T", "items": [{"name": "a", "kind": "text", "title": "A"}]}) == {"": [no_number]}
    assert told([]) == {"": ["The file is not a rating form."]}
    forged = {"protocol": "form-overall-rating-000000000000", "form": OVERALL}
    told_forged = "protocols/form-overall-rating-000000000000.json: the definition does not match its name."
    assert told(forged) == {"": [told_forged]}
    assert not RatingForm.objects.exists()
