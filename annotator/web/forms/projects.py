"""A new project: its name, its address, and what its lead is called in the data."""

from __future__ import annotations

from typing import Any, Final

from django import forms

from annotator.projects.creation import slug_of

FIRST_STEPS: Final = (
    ("images", "Add images"),
    ("bundle", "Restore a publication bundle"),
)


class ProjectForm(forms.Form):
    """What a person says of a new project. What an address and a code can be is the services' to say."""

    name = forms.CharField(
        max_length=120,
        error_messages={
            "required": "Give the project a name.",
            "max_length": "The name has at most 120 characters.",
        },
    )
    slug = forms.CharField(required=False)
    code = forms.CharField(strip=True, error_messages={"required": "Say what you are called in the data."})
    first = forms.ChoiceField(choices=FIRST_STEPS, required=False)
    # Made with the page: a second click on the button finds the project that the first one made.
    request_key = forms.UUIDField()

    def clean(self) -> dict[str, Any]:
        """Fill in the address that the name suggests where none was typed."""
        said: dict[str, Any] = self.cleaned_data
        if "name" in said and not said.get("slug"):
            said["slug"] = slug_of(said["name"])
            if not said["slug"]:
                self.add_error("slug", "Give the project an address in Latin letters: its name has none.")
        return said
