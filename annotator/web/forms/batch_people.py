"""The form that changes the annotators of a batch."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict

from annotator.batches.people_changes import people_of_batch
from annotator.inputs.plain_text import LONGEST_REASON
from annotator.models import Batch, Membership
from annotator.people.places import with_invitations
from annotator.web.forms.batches import LABELLING

NOBODY = "Choose at least one annotator to remove or add."


class PeopleForm(forms.Form):
    """The annotators to remove and to add, and the reason."""

    leaving = forms.MultipleChoiceField(
        required=False, error_messages={"invalid_choice": "One of these is not in this batch."}
    )
    joining = forms.MultipleChoiceField(
        required=False, error_messages={"invalid_choice": "One of these cannot be added."}
    )
    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": "Enter a reason. It is saved in the batch’s history."},
        widget=forms.TextInput(),
    )

    # Whom the lead exempts from the qualification that the batch needs, and why; the preview asks.
    waived = forms.MultipleChoiceField(
        required=False, error_messages={"invalid_choice": "One of these cannot be added."}
    )
    waiver = forms.CharField(required=False)

    def __init__(self, batch: Batch, data: QueryDict | None = None) -> None:
        self.people = people_of_batch(batch)
        inside = [person.pk for person in self.people]
        active = batch.project.memberships.filter(role__in=LABELLING, is_active=True)
        self.others = list(with_invitations(active.exclude(pk__in=inside)).order_by("role", "code"))
        super().__init__(data, use_required_attribute=False)
        for name, members in (("leaving", self.people), ("joining", self.others), ("waived", self.others)):
            field = self.fields[name]
            assert isinstance(field, forms.MultipleChoiceField)
            field.choices = [(str(member.pk), member.code) for member in members]

    def clean(self) -> dict[str, Any]:
        """Refuse an empty change."""
        said: dict[str, Any] = self.cleaned_data
        if not self.errors.keys() & {"leaving", "joining"} and not (said["leaving"] or said["joining"]):
            self.add_error("leaving", NOBODY)
        return said

    def chosen(self) -> dict[str, list[Membership]]:
        """Return the annotators to remove and to add from a valid form."""
        said = self.cleaned_data
        return {
            "leaving": [each for each in self.people if str(each.pk) in said["leaving"]],
            "joining": [each for each in self.others if str(each.pk) in said["joining"]],
        }
