"""The form of a new project: name, address and the lead's code."""

from __future__ import annotations

from typing import Any, Final

from django import forms

from annotator.projects.creation import slug_of

FIRST_STEPS: Final = (
    ("images", "Add images"),
    ("bundle", "Restore a publication bundle"),
)


class ProjectForm(forms.Form):
    """The data of a new project; the services validate the address and the code."""

    name = forms.CharField(
        max_length=120,
        error_messages={
            "required": "Enter a name.",
            "max_length": "The name has at most 120 characters.",
        },
    )
    slug = forms.CharField(required=False)
    code = forms.CharField(strip=True, error_messages={"required": "Enter your code."})
    first = forms.ChoiceField(choices=FIRST_STEPS, required=False)
    # Created with the page, so that a second click finds the project of the first one.
    request_key = forms.UUIDField()

    def clean(self) -> dict[str, Any]:
        """Derive the address from the name if it is empty."""
        said: dict[str, Any] = self.cleaned_data
        if "name" in said and not said.get("slug"):
            said["slug"] = slug_of(said["name"])
            if not said["slug"]:
                self.add_error("slug", "Enter an address in Latin letters: the name has none.")
        return said
