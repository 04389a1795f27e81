"""Forms for an upload: defaults for names, the data of a file or folder, and the field of a single file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from django import forms
from django.core.files.uploadedfile import UploadedFile as SentFile

from annotator.exchange.formats.names import LARGEST_NUMBER
from annotator.inputs.numbers import IntegerField
from annotator.models import UploadedFile

DEFAULTS: Final = ("generator", "prompt", "prompt_group")
THIS_FILE: Final = "file"
_WHOLE: Final = f"Enter a whole number from 0 to {LARGEST_NUMBER:,}."


def defaults_in(sent: Mapping[str, str]) -> dict[str, str]:
    """Return the defaults for files whose names lack a value."""
    return {name: sent.get(f"default_{name}", "").strip() for name in DEFAULTS}


def file_field(missing: str, empty: str) -> forms.FileField:
    """Return a field for one file; `missing` and `empty` tell the user what to do."""
    too_long = "The file name is longer than 200 characters. Shorten it."
    errors = {"required": missing, "empty": empty, "max_length": too_long}
    return forms.FileField(max_length=200, error_messages=errors)


def within(file: SentFile[Any], most_bytes: int, advice: str) -> SentFile[Any]:
    """Return a file; raise ValidationError, ending with `advice`, if it has more than `most_bytes`."""
    if file.size is not None and file.size > most_bytes:
        limit = most_bytes // (1024 * 1024)
        raise forms.ValidationError(f"The file is larger than {limit} MB{advice}", "too_large")
    return file


class FileForm(forms.Form):
    """The data of one file, and whether it applies to a whole folder."""

    generator = forms.CharField(required=False)
    prompt = forms.CharField(required=False)
    prompt_group = forms.CharField(required=False)
    number = IntegerField(
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
        """Return the file's folders, innermost first."""
        path = PurePosixPath(self.file.name.replace("\\", "/").strip("/"))
        return [str(each) for each in path.parents if str(each) != "."]

    @property
    def folder(self) -> str:
        """The folder to change; empty for this file only."""
        scope: str = self.cleaned_data.get("scope") or THIS_FILE
        return "" if scope == THIS_FILE else scope.removeprefix("/")

    def changed_texts(self) -> dict[str, str]:
        """Return the fields that differ from the file's; only they change in a folder."""
        said = self.cleaned_data
        return {name: said[name] for name in DEFAULTS if said[name] != getattr(self.file, name)}
