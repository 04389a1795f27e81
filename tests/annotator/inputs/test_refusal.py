"""A refusal's code, from where it is raised to the page that shows it."""

from __future__ import annotations

import pytest
from django import forms
from django.template.loader import render_to_string

from annotator.inputs.refusal import Refusal, as_form_error
from tests.support.codes import codes, numbers, said


class Form(forms.Form):
    name = forms.CharField(max_length=3, required=False)


WHOLE = "annotator/parts/refusals.html"
FIELD = "annotator/parts/errors.html"


def refused(field: str | None, refusal: Refusal) -> Form:
    form = Form({"name": "a"})
    form.add_error(field, as_form_error(refusal))
    return form


def test_a_form_shows_the_words_and_the_code() -> None:
    form = refused("name", Refusal("<b> 1,200 of 3 are taken.", "taken"))
    page = render_to_string(FIELD, {"errors": form.errors["name"], "error_id": "name-error"})
    assert (codes(page), said(page, "taken")) == (["taken"], "<b> 1,200 of 3 are taken.")
    assert numbers(page, "taken") == ["1,200", "3"]
    assert 'id="name-error"' in page
    assert "<b>" not in page


def test_so_does_what_is_wrong_with_a_form_as_a_whole() -> None:
    form = refused(None, Refusal("Not now.", "busy"))
    page = render_to_string(WHOLE, {"errors": form.non_field_errors()})
    assert (codes(page), said(page, "busy")) == (["busy"], "Not now.")


def test_djangos_own_errors_have_their_codes() -> None:
    page = render_to_string(FIELD, {"errors": Form({"name": "four"}).errors["name"]})
    assert codes(page) == ["max_length"]


@pytest.mark.parametrize("template", [FIELD, WHOLE])
def test_without_a_code_there_is_no_empty_one(template: str) -> None:
    page = render_to_string(template, {"errors": refused("name", Refusal("No.")).errors["name"]})
    assert "No." in page
    assert "data-code" not in page


def test_a_notice_takes_the_code_of_a_refusal() -> None:
    told = {"kind": "stop", "text": Refusal("Not now.", "busy")}
    assert said(render_to_string("annotator/parts/notice.html", told), "busy") == "Not now."
