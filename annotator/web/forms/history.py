"""The filters of a project's history."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.http import QueryDict

from annotator.models import Membership, Project

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
