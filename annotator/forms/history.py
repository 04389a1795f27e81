"""Which part of a project's history is asked for."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from annotator.models import Membership, Project
from annotator.views.event_words import GROUPS

DECISIONS = ""
_KINDS = [(DECISIONS, "Everything but answers"), *((group.slug, group.title) for group in GROUPS)]


class HistoryForm(forms.Form):
    """Kind, person and days; all may stay empty."""

    kind = forms.ChoiceField(choices=_KINDS, required=False)
    person = forms.ModelChoiceField(Membership.objects.none(), required=False, empty_label="Everybody")
    since = forms.DateField(label="From", required=False, widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label="To", required=False, widget=forms.DateInput({"type": "date"}))

    def __init__(self, project: Project, data: QueryDict) -> None:
        """Offer the project's people who have, or had, an account here."""
        super().__init__(data, auto_id="history-%s", label_suffix="")
        people = project.memberships.filter(user__isnull=False).order_by("code")
        field = self.fields["person"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = people
