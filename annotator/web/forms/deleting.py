"""Forms that ask for a reason, and the one that confirms a deletion."""

from __future__ import annotations

from django import forms

from annotator.inputs.plain_text import LONGEST_REASON


class ReasonForm(forms.Form):
    """The reason for a deletion, or for returning an annotation."""

    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": "Enter a reason. It is saved in the project’s history."},
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class DeleteImageForm(ReasonForm):
    """The number of annotations that go with an image, for confirmation, and the reason."""

    field_order = ("typed", "reason")

    typed = forms.CharField(
        label="Number of annotations",
        max_length=20,
        error_messages={"required": "Type the number of annotations to confirm the deletion."},
        widget=forms.TextInput({"autocomplete": "off", "inputmode": "numeric"}),
    )


class DeleteProjectForm(ReasonForm):
    """The name of the project, for confirmation, and the reason."""

    field_order = ("typed", "reason")

    typed = forms.CharField(
        label="Project name",
        max_length=200,
        error_messages={"required": "Type the project’s name to confirm the deletion."},
        widget=forms.TextInput({"autocomplete": "off"}),
    )
