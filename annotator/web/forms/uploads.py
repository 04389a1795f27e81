"""What a lead says about an upload: how names are read, and what one file or a folder shows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from django import forms

from annotator.exchange.formats.names import LARGEST_NUMBER
from annotator.models import UploadedFile

DEFAULTS: Final = ("generator", "prompt", "prompt_group")
THIS_FILE: Final = "file"
_WHOLE: Final = f"A whole number from 0 to {LARGEST_NUMBER:,}."


def defaults_in(sent: Mapping[str, str]) -> dict[str, str]:
    """What is to hold for files whose names do not say it."""
    return {name: sent.get(f"default_{name}", "").strip() for name in DEFAULTS}


class FileForm(forms.Form):
    """What one file shows, and whether that holds for a whole folder."""

    generator = forms.CharField(required=False)
    prompt = forms.CharField(required=False)
    prompt_group = forms.CharField(required=False)
    number = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=LARGEST_NUMBER,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), _WHOLE),
    )
    scope = forms.ChoiceField(required=False)

    def __init__(self, file: UploadedFile, data: Mapping[str, Any] | None = None) -> None:
        self.file = file
        initial = {name: getattr(file, name) for name in (*DEFAULTS, "number")}
        super().__init__(data, initial={**initial, "scope": THIS_FILE})
        field = self.fields["scope"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (THIS_FILE, "This file"),
            *((f"/{each}", f"All of {each}/") for each in self.folders()),
        ]

    def folders(self) -> list[str]:
        """The folders that the file lies in, the next one first."""
        path = PurePosixPath(self.file.name.replace("\\", "/").strip("/"))
        return [str(each) for each in path.parents if str(each) != "."]

    @property
    def folder(self) -> str:
        """The folder that is to be changed; empty where it is this file alone."""
        scope: str = self.cleaned_data.get("scope") or THIS_FILE
        return "" if scope == THIS_FILE else scope.removeprefix("/")

    def changed_texts(self) -> dict[str, str]:
        """What was typed that does not stand there already: the rest of a folder stays as it is."""
        said = self.cleaned_data
        return {name: said[name] for name in DEFAULTS if said[name] != getattr(self.file, name)}
