"""The lead's builder: templates, errors at their fields, saving; forms that ask what is generated."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from annotator.batches.assignments import InvalidBatch, check_blinding, create_batch
from annotator.models import Annotation, Project, RatingForm
from annotator.protocols.rating_form.checking import FormDraft, draft_of_file, typed
from annotator.protocols.rating_form.form import keys_of
from annotator.protocols.rating_form.stored import FormRefused, save_form
from annotator.web.forms.batches import BatchForm
from annotator.web.views.guidelines.rating_forms import templates
from scoring.rating_form.definition import Item, definition_of
from tests.factories import LEAD, make_assignment, make_batch, make_image, make_member, make_project
from tests.scoring.rating_form.test_rules import ALIGNMENT, ANSWERS, PEOPLE
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
EARLIER = "Choose an earlier question that is always asked."
ABOVE = "The greatest number must be above the least."


@pytest.fixture
def lead(project: Project) -> Client:
    return signed_in(make_member(project, LEAD))


def saved(lead: Client, project: Project, fields: dict[str, str], place: str = "new/") -> Any:
    return lead.post(f"/projects/{project.slug}/forms/{place}", fields | {"action": "save"})


def item_errors(**fields: str) -> dict[str, list[str]]:
    data = {f"i1-{name}": value for name, value in {"kind": "scale", "title": "Q", **fields}.items()}
    draft = FormDraft({"title": "T", "ids": "1", **data})
    draft.definition()
    errors = draft.items["1"].errors.as_data().items()
    return {name: [text for each in found for text in each.messages] for name, found in errors}


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"lines": "x = b\n2"}, "lines", "“x = b”: begin with a whole number, such as 1 = Very poor."),
        ({"lines": "1"}, "lines", "Enter 2 to 11 different points, one a line; there are 1."),
        ({"title": "", "lines": "1\n2"}, "title", "Enter the question."),
        ({"name": "note", "lines": "1\n2"}, "title", "“note” cannot be the name of a column. Enter another."),
        ({"lines": "1\n2", "when_item": "7"}, "when_item", EARLIER),
        ({"kind": "choice", "lines": "a = x\na = y"}, "lines", "Two options are named “a”."),
        ({"kind": "number", "least": "5", "most": "0"}, "most", ABOVE),
    ],
)
def test_errors_stand_at_their_field(fields: dict[str, str], field: str, words: str) -> None:
    assert item_errors(**fields) == {field: [words]}


def test_the_key_of_an_option_is_its_own_or_made_of_its_label() -> None:
    lines = {"i1-kind": "choice", "i1-title": "Verdict", "i1-lines": "Accept\nturn_down = Reject\nSkip"}
    draft = FormDraft({"title": "T", "ids": "1 2", "i2-kind": "yes_no", "i2-title": "Good?", **lines})
    form = draft.definition()
    assert form is not None
    (item, _) = form.items
    assert item.options == (("accept", "Accept"), ("turn_down", "Reject"), ("skip", "Skip"))
    assert keys_of(item) == {"accept": "1", "turn_down": "2", "skip": "3"}
    assert definition_of(form.as_json()) == form
    again = draft_of_file(json.dumps(form.as_json()).encode())
    assert again.data["i1-lines"] == "accept = Accept\nturn_down = Reject\nskip = Skip"
    assert again.definition() == form


def test_a_condition_names_an_answer_of_its_item() -> None:
    data = typed(templates()["hand"]) | {"i2-when_is": "maybe"}
    draft = FormDraft(data)
    assert draft.definition() is None
    words = "“maybe” is not an answer to “Is anything wrong with the hand?”."
    assert dict(draft.items["2"].errors) == {"when_is": [words]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{\n"title": "T"\n"items": []}', "Line 3: expecting ',' delimiter."),
        (b" " * 72_000, "The file has 71 KB; the limit is 64 KB."),
        (b'{"title": "T", "items": [{"name": "a", "title": 5}]}', "The file is not a rating form."),
    ],
)
def test_files_are_refused_by_their_fault(content: bytes, words: str) -> None:
    with pytest.raises(FormRefused, match="^" + words.replace(".", r"\.") + "$"):
        draft_of_file(content)


def test_a_refused_file_leaves_what_was_typed(lead: Client, project: Project) -> None:
    sent = {"action": "file", "title": "Typed before", "file": ContentFile(b"{", "form.json")}
    page = lead.post(f"/projects/{project.slug}/forms/new/", sent)
    assert (page.status_code, page.context["draft"].data["title"]) == (422, "Typed before")


def test_saving_replaces_an_unused_form_and_copies_a_used_one(lead: Client, project: Project) -> None:
    fields = typed(templates()["five-domains"])
    assert saved(lead, project, fields).status_code == 302
    first = RatingForm.objects.get()
    assert saved(lead, project, fields | {"title": "Five"}, f"{first.slug}/").status_code == 302
    second = RatingForm.objects.get()
    assert (second.definition["title"], second.slug == first.slug) == ("Five", False)
    make_batch(project, protocol=second.slug)
    assert saved(lead, project, fields | {"title": "Six"}, f"{second.slug}/").status_code == 302
    assert [row.definition["title"] for row in RatingForm.objects.all()] == ["Five", "Six"]


def test_a_used_form_says_what_uses_it(lead: Client, project: Project) -> None:
    form = save_form(project, PEOPLE, None)
    place = f"/projects/{project.slug}/forms/{form.slug}/"
    assert (lead.get(place).context["used"], lead.get(place).context["annotations"]) == ("", 0)
    batch = make_batch(project, name="Batch 2", protocol=form.slug)
    make_batch(project, protocol=form.slug)
    ada = make_member(project)
    submitted = {"status": "submitted", "submitted_at": timezone.now(), "ratings": []}
    for fields in (submitted, submitted, {}):
        assignment = make_assignment(ada, batch=batch, image=make_image(project))
        Annotation.objects.create(
            assignment=assignment, payload={"answers": ANSWERS}, saved_at=timezone.now(), **fields
        )
    page = lead.get(place)
    assert (page.context["used"], page.context["annotations"]) == ("“Batch 2”", 2)
    listed = lead.get(f"/projects/{project.slug}/forms/")
    assert [used for _, used in listed.context["rows"]] == ["“Batch 2”"]


def test_two_leads_each_save_a_form_of_their_own(project: Project) -> None:
    first = save_form(project, PEOPLE, None)
    seen_by_both = RatingForm.objects.get()
    save_form(project, replace(PEOPLE, title="Hers"), None, first)
    save_form(project, replace(PEOPLE, title="His"), None, seen_by_both)
    assert [row.definition["title"] for row in RatingForm.objects.all()] == ["Hers", "His"]


def test_a_form_of_another_project_is_not_offered(project: Project) -> None:
    other = make_project()
    row = RatingForm.objects.create(project=other, slug=PEOPLE.slug, definition=PEOPLE.as_json())
    assert row.slug not in BatchForm(project).offered
    assert row.slug in BatchForm(other).offered
    with pytest.raises(InvalidBatch, match="replaced or removed"):
        create_batch(project=project, name="B", protocol=row.slug)


def test_a_form_about_the_prompt_needs_it(project: Project) -> None:
    RatingForm.objects.create(project=project, slug=ALIGNMENT.slug, definition=ALIGNMENT.as_json())
    check_blinding(ALIGNMENT.slug, show_prompt=True)
    with pytest.raises(InvalidBatch) as caught:
        check_blinding(ALIGNMENT.slug)
    assert caught.value.code == "needs-prompt"


def test_a_form_with_a_hidden_prompt_needs_a_batch_that_hides_it(project: Project) -> None:
    slug = save_form(project, definition_of(templates()["origin"]), None).slug
    check_blinding(slug)
    with pytest.raises(InvalidBatch) as caught:
        check_blinding(slug, show_prompt=True)
    assert caught.value.code == "blind"


def test_a_lead_tries_a_form_and_nothing_is_stored(project: Project, lead: Client) -> None:
    saved(lead, project, typed(PEOPLE.as_json()))
    place = f"/projects/{project.slug}/forms/{PEOPLE.slug}/try/"
    answers = {"answers.quality": "4", "answers.anatomy": "cannot_judge", "answers.hands": "no"}
    sent = {"version": "0", "request_key": str(uuid4()), **answers}
    page = lead.post(place, sent)
    assert (page.status_code, page.context["result"]) == (422, None)
    page = lead.post(place, sent | {"answers.natural": "6,0"})
    titles = [item.title for item in PEOPLE.items if item.name != "why"]
    assert page.context["result"] == list(zip(titles, ("4", "Cannot judge", "No", "6"), strict=True))
    assert not Annotation.objects.exists()


def test_keys_are_points_and_places() -> None:
    def keys(*points: int) -> str:
        item = Item("q", "scale", "Q", points=tuple((point, "") for point in points))
        return " ".join(key or "-" for key in keys_of(item).values())

    assert keys(1, 2, 5) == "1 2 5"
    assert keys(*range(1, 11)) == "1 2 3 4 5 6 7 8 9 0"
    assert keys(*range(11)) == "0 1 2 3 4 5 6 7 8 9 -"
    assert keys(-1, 0, 1) == "1 2 3"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"better": ""}, ["Say which end of “Pleasing” is better: reports compare images by it."]),
        ({"kind": "yes_no"}, []),
        ({"kind": "text"}, ["Choose another question for reports: a scale, a number, or yes or no."]),
    ],
)
def test_what_images_are_compared_by_has_a_number_and_a_better_end(
    fields: dict[str, str], words: list[str]
) -> None:
    asked = {"kind": "scale", "title": "Pleasing", "lines": "1\n2", **fields}
    other = {"i2-kind": "yes_no", "i2-title": "Sharp", "title": "T", "ids": "1 2", "headline": "1"}
    draft = FormDraft(other | {f"i1-{name}": text for name, text in asked.items()})
    assert (draft.definition() is None, draft.refused) == (bool(words), words)
