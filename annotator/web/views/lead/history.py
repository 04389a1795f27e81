"""The history of a project, newest first, for its leads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from annotator.exchange.formats.names import whole_number
from annotator.inputs.days import lookups
from annotator.models import Event, Membership, Project
from annotator.people.access import project_as_lead
from annotator.web.views.annotation_details import VERBS
from annotator.web.views.lead.event_words import KINDS, row_of
from annotator.web.views.pages import safe_page

SHOWN: Final = 50


@dataclass(frozen=True)
class Asked:
    """Filters of events; empty ones match all.

    `verbs` are included or, with `without`, excluded. `since` and `until` are inclusive days in UTC. `before`
    is the id of the oldest event on the previous page.
    """

    verbs: Collection[str] = ()
    without: bool = False
    actor: int | None = None
    since: date | None = None
    until: date | None = None
    before: int | None = None


def events_of(project: Project, asked: Asked) -> tuple[list[Event], int | None]:
    """Return up to `SHOWN` events and the id for the next page; None if there are no older ones.

    Pages are found by id and never counted, so the cost does not grow with the history.
    """
    found = Event.objects.filter(project=project).select_related("actor", "assignment__image")
    if asked.verbs:
        found = found.exclude(verb__in=asked.verbs) if asked.without else found.filter(verb__in=asked.verbs)
    if asked.actor is not None:
        found = found.filter(actor=asked.actor)
    found = found.filter(**lookups("created_at", asked.since, asked.until))
    if asked.before is not None:
        found = found.filter(pk__lt=asked.before)
    events = list(found.order_by("-pk")[: SHOWN + 1])
    return events[:SHOWN], events[SHOWN - 1].pk if len(events) > SHOWN else None


DECISIONS = ""


class HistoryForm(forms.Form):
    """Kind, person and days; all optional."""

    kind = forms.ChoiceField(required=False)
    person = forms.ModelChoiceField(Membership.objects.none(), required=False, empty_label="Everyone")
    since = forms.DateField(label="From", required=False, widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label="To", required=False, widget=forms.DateInput({"type": "date"}))

    def __init__(self, project: Project, data: QueryDict, *, kinds: Sequence[tuple[str, str]]) -> None:
        """Offer these kinds (slug, title), and the members who have or had an account."""
        super().__init__(data, auto_id="history-%s", label_suffix="")
        kind = self.fields["kind"]
        assert isinstance(kind, forms.ChoiceField)
        kind.choices = [(DECISIONS, "Everything except annotations"), *kinds]
        people = project.memberships.filter(user__isnull=False).order_by("code")
        field = self.fields["person"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = people


@safe_page
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """List a project's events, newest first; annotation events only if requested."""
    project = project_as_lead(request.user, slug)
    kinds = [(kind, title) for kind, (title, _) in KINDS.items()]
    form = HistoryForm(project, request.GET, kinds=kinds)
    events, older = events_of(project, _asked(form, request.GET.get("before", "")))
    codes = _codes(project, [event.actor_id for event in events])
    context = {
        "project": project,
        "section": "overview",
        "form": form,
        "rows": [row_of(event, codes) for event in events],
        "filtered": any(request.GET.get(name) for name in form.fields),
        "older_query": _query(request.GET, older) if older is not None else "",
        "newest": not request.GET.get("before"),
        "newest_query": _query(request.GET, None),
    }
    return render(request, "annotator/projects/history.html", context, status=200 if form.is_valid() else 422)


def _asked(form: HistoryForm, before: str) -> Asked:
    """Read the filters; invalid fields are reported by the form and filter nothing."""
    form.is_valid()
    said = form.cleaned_data
    _, verbs = KINDS.get(said.get("kind") or "", ("", None))
    person = said.get("person")
    return Asked(
        verbs=tuple(VERBS if verbs is None else verbs),
        without=verbs is None,
        actor=person.user_id if person else None,
        since=said.get("since"),
        until=said.get("until"),
        before=whole_number(before) if before else None,
    )


def _codes(project: Project, actors: list[int | None]) -> dict[int, str]:
    """Map each account that is a member of this project to its code."""
    members = project.memberships.filter(user__in={actor for actor in actors if actor is not None})
    return {user: code for user, code in members.values_list("user", "code") if user is not None}


def _query(parameters: QueryDict, before: int | None) -> str:
    wanted = parameters.copy()
    wanted.pop("before", None)
    if before is not None:
        wanted["before"] = str(before)
    return wanted.urlencode()
