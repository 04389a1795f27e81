"""The export form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundField
from django.http import QueryDict

from analysis.data.ratings_table import shown_from
from analysis.exports.filters import Filters
from analysis.exports.formats import FORMATS, OF_SOME
from analysis.exports.layout import HEADERS, PUBLISHED
from analysis.exports.registry import layouts_of
from analysis.exports.requests import ExportRequest
from annotator.models import Project
from annotator.projects import overview

MOST_LISTED: Final = 500
HEADER_WORDS: Final = {
    "published": "Image Id, Model, Pic Num.",
    "tidy": "image_id, generator, number",
}


class ExportForm(forms.Form):
    """What to export of a protocol's annotations; unbound, all scores as CSV."""

    layout = forms.ChoiceField(
        initial="scores",
        error_messages={"required": "Choose a layout.", "invalid_choice": "Unknown layout. Choose another."},
    )
    format = forms.ChoiceField(
        choices=[(form.slug, form.title) for form in FORMATS.values()],
        initial="csv",
        error_messages={"required": "Choose a format.", "invalid_choice": "Unknown format. Choose another."},
    )
    header = forms.ChoiceField(
        choices=[(header, header.capitalize()) for header in HEADERS],
        initial=PUBLISHED,
        required=False,
        error_messages={"invalid_choice": "Unknown column names. Choose others."},
    )
    batches = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    generators = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    prompts = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    annotators = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    since = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))
    pseudonyms = forms.BooleanField(required=False)
    request_key = forms.UUIDField(required=False)

    def __init__(self, project: Project, protocol: str, data: QueryDict | None = None) -> None:
        super().__init__(data, use_required_attribute=False)
        self.protocol = protocol
        self._layouts = layouts_of(protocol)
        self._offer("layout", [(layout.slug, layout.title) for layout in self._layouts.values()])
        of_protocol = project.batches.filter(protocol=shown_from(project, protocol))
        batches = of_protocol.order_by("-pk").values_list("pk", "name")[:MOST_LISTED]
        people = project.memberships.order_by("code").values_list("pk", "code")[:MOST_LISTED]
        self._choose("batches", [(str(pk), name) for pk, name in batches], "batch")
        self._choose("annotators", [(str(pk), code) for pk, code in people], "annotator")
        for name, one in (("generators", "generator"), ("prompts", "prompt")):
            values = overview.distinct_values(project, one, MOST_LISTED)
            self._choose(name, [(value, value) for value in values], one)
        self.most_listed = MOST_LISTED

    def _choose(self, name: str, choices: Sequence[tuple[str, str]], one: str) -> None:
        field = self._offer(name, choices)
        field.error_messages["invalid_choice"] = f"The project has no {one} “%(value)s”."

    def _offer(self, name: str, choices: Sequence[tuple[str, str]]) -> forms.ChoiceField:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
        return field

    def layouts(self) -> list[dict[str, Any]]:
        """Return the layouts to offer."""
        return [self._option("layout", each.slug, each.title, each.words) for each in self._layouts.values()]

    def _option(self, name: str, value: str, title: str, words: str) -> dict[str, Any]:
        return {"value": value, "title": title, "words": words, "chosen": value == self[name].value()}

    @property
    def means_in_images(self) -> bool:
        """Whether scores have a row for each annotation, and images their mean."""
        return {"scores", "images"} <= self._layouts.keys()

    def headers(self) -> list[dict[str, Any]]:
        """Return the headers to offer."""
        return [
            self._option("header", name, name.capitalize(), words) for name, words in HEADER_WORDS.items()
        ]

    def formats(self) -> list[dict[str, Any]]:
        """Return the formats to offer."""
        return [
            self._option("format", each.slug, each.title, each.words)
            for each in FORMATS.values()
            if each.slug not in OF_SOME
            or any(each.slug in layout.own_formats for layout in self._layouts.values())
        ]

    def lists(self) -> list[tuple[BoundField, str]]:
        """Return the list filters with their titles."""
        names = ("batches", "generators", "prompts", "annotators")
        return [(self[name], name.capitalize()) for name in names]

    def clean(self) -> dict[str, Any]:
        """Check fields that depend on each other."""
        said: dict[str, Any] = self.cleaned_data
        if said.get("since") and said.get("until") and said["since"] > said["until"]:
            self.add_error("until", "The last date is before the first.")
        if not self.errors:
            for field, words in self.export_request().problems().items():
                self.add_error(field, words)
        return said

    def export_request(self) -> ExportRequest:
        """Return the request of a valid form."""
        said = self.cleaned_data
        filters = Filters(
            batches=tuple(map(int, said["batches"])),
            generators=tuple(said["generators"]),
            prompts=tuple(said["prompts"]),
            annotators=tuple(map(int, said["annotators"])),
            since=said["since"],
            until=said["until"],
        )
        header = said["header"] or PUBLISHED
        return ExportRequest(
            said["layout"], said["format"], filters, said["pseudonyms"], self.protocol, header
        )
