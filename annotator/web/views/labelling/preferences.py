"""The user's settings of the annotation page: a plain form, and JSON for the page's dialog."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotator.models import User
from annotator.people.preferences import SURROUNDS, change_preferences, preferences_of
from annotator.web.views.json_endpoint import Facts, body_of, json_endpoint, sends_json
from annotator.web.views.pages import SignedIn, form_page

SURROUND_TITLES = {"auto": "Same as device", "light": "Light", "dark": "Dark"}


class PreferencesForm(forms.Form):
    """The settings as a form."""

    single_keys = forms.BooleanField(required=False)
    surround = forms.ChoiceField(
        choices=[(value, SURROUND_TITLES[value]) for value in SURROUNDS], widget=forms.RadioSelect
    )
    show_score = forms.BooleanField(required=False)


def preferences(request: SignedIn) -> HttpResponse:
    """Show and change the signed-in user's settings."""
    return _by_script(request) if sends_json(request) else _by_form(request)


@json_endpoint("POST")
def _by_script(request: HttpRequest, user: User) -> Facts:
    return change_preferences(user=user, changes=body_of(request, tuple(preferences_of(user))))


@form_page
def _by_form(request: SignedIn) -> HttpResponse:
    stored = preferences_of(request.user)
    form = PreferencesForm(request.POST if request.method == "POST" else None, initial=stored)
    if form.is_bound and form.is_valid():
        change_preferences(user=request.user, changes=form.cleaned_data)
        messages.success(request, "Settings saved.")
        return redirect("preferences")
    status = 422 if form.errors else 200
    return render(request, "annotator/labelling/preferences.html", {"form": form}, status=status)
