"""Forms to import a file of annotations, or of other rows about images."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from annotator.exchange.formats import detection, tables
from annotator.exchange.storing import AT_RANDOM
from annotator.exchange.suggestion_rows import LONGEST_SOURCE
from annotator.models import Project, Reference, SuggestionRun
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.projects.protocols import measured
from annotator.protocols.rating_form.stored import forms_of
from annotator.protocols.registry import PAGES, SUGGESTED, sheet_reader_of, suggested_in
from scoring.service import get_protocol


class RowsFileForm(forms.Form):
    """One file, small enough to be read into memory."""

    most_bytes = tables.MOST_BYTES
    file = forms.FileField(
        max_length=200,
        error_messages={
            "required": "Choose a file.",
            "empty": "The file is empty. Save it again and choose it.",
            "max_length": "The file name is longer than 200 characters. Shorten it.",
        },
    )
    request_key = forms.UUIDField()

    def clean_file(self) -> UploadedFile[Any]:
        """Refuse a file larger than the reader's limit."""
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if file.size is not None and file.size > self.most_bytes:
            limit = self.most_bytes // (1024 * 1024)
            words = f"The file is larger than {limit} MB. Split it into parts, each with the header."
            raise forms.ValidationError(words, "too_large")
        return file


class FacesFileForm(RowsFileForm):
    """A file of rectangles, which are proposals unless somebody has looked at each image."""

    proposals = forms.BooleanField(
        required=False, initial=True, label="Proposals: somebody looks at each image"
    )


class SuggestionsFileForm(RowsFileForm):
    """A file of suggestions, and where they come from."""

    what = forms.TypedChoiceField(required=False, label="What is suggested")
    source = forms.CharField(
        max_length=LONGEST_SOURCE,
        error_messages={"required": "Enter the source."},
        help_text="The program or the people who made them. Annotators read it beside the suggestion.",
    )
    source_version = forms.CharField(max_length=LONGEST_SOURCE, required=False, help_text="Optional.")
    settings_text = forms.CharField(
        max_length=2000, required=False, label="How it was run", help_text="Optional."
    )

    def __init__(self, project: Project, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        what, known = self.fields["what"], list(suggested_in(project) or SUGGESTED)
        assert isinstance(what, forms.TypedChoiceField)
        what.choices = [(each, SuggestionRun.Kind(each).label) for each in known]
        what.empty_value = known[0]


class AnnotationFileForm(RowsFileForm):
    """A file of annotations, and what they are."""

    most_bytes = detection.MOST_BYTES
    protocol = forms.ChoiceField(
        required=False,
        widget=forms.RadioSelect,
        error_messages={"invalid_choice": "“%(value)s” has no sheet. Choose another protocol."},
    )
    doubles = forms.BooleanField(required=False)
    origin = forms.ChoiceField(
        required=False,
        widget=forms.RadioSelect,
        choices=[
            ("", "Annotations"),
            (Reference.Origin.IMPORTED, "References"),
            (Reference.Origin.PLANTED, "References with planted errors"),
        ],
        error_messages={"invalid_choice": "Choose what the file contains."},
    )

    def __init__(self, project: Project, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        used = measured(project)
        there = readable = _with_a_sheet(used)
        if not there or project.protocols is None:
            readable = _with_a_sheet(dict.fromkeys([*used, *PAGES, *forms_of(project)]))
        usual = there[0] if len(there) == 1 or DEFAULT_PROTOCOL not in readable else DEFAULT_PROTOCOL
        asked = self.initial.get("protocol") or usual
        self.initial["protocol"] = asked if asked in readable else usual
        protocol = self.fields["protocol"]
        assert isinstance(protocol, forms.ChoiceField)
        protocol.choices = [(slug, get_protocol(slug).title) for slug in readable]
        # Of rating sheets, beside those of image and annotator.
        self.own_columns = [
            (get_protocol(slug).title, ", ".join(reader.headings))
            for slug in readable
            if (reader := sheet_reader_of(slug)) and reader.headings
        ]

    def clean_doubles(self) -> str:
        """Return how the images of several annotators were drawn; empty if it is not stated."""
        return AT_RANDOM if self.cleaned_data["doubles"] else ""

    def clean_protocol(self) -> str:
        """Return the protocol chosen, or the default."""
        named: str = self.cleaned_data["protocol"] or self.initial["protocol"]
        return named


def _with_a_sheet(slugs: Iterable[str]) -> list[str]:
    return [slug for slug in slugs if slug in PAGES and PAGES[slug].sheet is not None]
