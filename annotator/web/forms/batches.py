"""The form of a new batch."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundField
from django.http import QueryDict

from annotator.batches.assignments import InvalidBatch, check_blinding
from annotator.batches.checks import MOST, SUGGESTED, has_references
from annotator.batches.designs import Selection, images_of, left_out_of
from annotator.batches.overlap import usual_overlap
from annotator.batches.requests import BatchRequest
from annotator.inputs.numbers import DecimalField, IntegerField
from annotator.inputs.refusal import as_form_error
from annotator.models import Batch, Membership, Project
from annotator.models.data_sets import IS_REAL
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.people.codes import waits_for_its_person
from annotator.people.places import with_invitations
from annotator.people.standings import qualified_for
from annotator.projects import overview
from annotator.projects.protocols import measured, protocols_of
from annotator.protocols.page import (
    ALL_OF_THEM,
    COLUMNS,
    GUIDED,
    SCORE_SHOWN,
    SUGGESTIONS,
    BatchSetting,
    ProtocolPage,
)
from annotator.protocols.rating_form.stored import forms_of
from annotator.protocols.registry import page_of
from annotator.suggestions.runs import run_to_show
from scoring import service
from scoring.protocol import Protocol
from scoring.service import get_protocol

WHICH: Final = {
    "new": "Not yet assigned under this protocol",
    "all": "All, including assigned images",
}
CHOICES_SHOWN = 500
LABELLING = (Membership.Role.ANNOTATOR, Membership.Role.LEAD)
LARGEST = 2**31 - 1
_WRONG = ("invalid", "min_value", "max_value")
SHARE = dict.fromkeys(_WRONG, f"Enter a whole number from 0 to {MOST}; 0 for none.")
LIMIT = dict.fromkeys(_WRONG, "Enter a whole number of at least 0.")
ALL_GIVEN = (
    "All matching images are already assigned under this protocol. Choose “{all}” to assign them again."
)
ALL_KNOWN = (
    "An annotator knows each of these images, from training for example. Choose others, or other people."
)


_INACTIVE = "One of these is not active in this project. Reload the page."


def _ticks(unknown: str, *, required: bool = False) -> forms.MultipleChoiceField:
    errors = {"invalid_choice": unknown, "required": "Choose at least one annotator."}
    return forms.MultipleChoiceField(
        required=required, widget=forms.CheckboxSelectMultiple, error_messages=errors
    )


class BatchForm(forms.Form):
    """The data of a new batch; unbound, it proposes a batch for all annotators."""

    images_field = "which"
    most_listed = CHOICES_SHOWN

    protocol = forms.ChoiceField(
        required=False,
        widget=forms.RadioSelect,
        error_messages={"invalid_choice": "“%(value)s” cannot be used for a batch. Choose another protocol."},
    )
    name = forms.CharField(max_length=120, error_messages={"required": "Enter a name."})
    which = forms.ChoiceField(label="Images", choices=list(WHICH.items()), widget=forms.RadioSelect)
    generators = _ticks("Unknown generator: “%(value)s”.")
    prompts = _ticks("Unknown prompt: “%(value)s”.")
    annotators = _ticks(_INACTIVE, required=True)
    overlap = DecimalField(
        min_value=0,
        max_value=LARGEST,
        decimal_places=2,
        error_messages={
            "required": "Enter the overlap; 0 for none.",
            "max_decimal_places": "Enter at most two decimal places.",
        },
    )
    per_image = IntegerField(
        label="Annotators per overlap image",
        max_value=1000,
        error_messages={"required": "Enter the number of annotators per overlap image."},
    )
    seed = IntegerField(error_messages={"required": "Enter a whole number."})
    anchors = IntegerField(required=False, min_value=0, max_value=MOST, error_messages=SHARE, initial=0)
    repeats = IntegerField(required=False, min_value=0, max_value=MOST, error_messages=SHARE, initial=0)
    real = IntegerField(label="Real images", required=False, min_value=0, max_value=LARGEST, initial=0)
    top_up = forms.BooleanField(required=False)
    needs_standing = forms.BooleanField(required=False)
    show_prompt = forms.BooleanField(required=False)
    show_generator = forms.BooleanField(required=False)
    guided = forms.BooleanField(required=False)
    score_shown = forms.TypedChoiceField(
        choices=Batch.ScoreShown.choices,
        widget=forms.RadioSelect,
        required=False,
        empty_value=Batch.ScoreShown.NEVER.value,
    )

    def __init__(self, project: Project, data: QueryDict | None = None) -> None:
        self.project = project
        active = project.memberships.filter(role__in=LABELLING, is_active=True)
        self.members = list(with_invitations(active).order_by("role", "code"))
        self.earlier = protocols_of(project)
        self.offered = self.protocols_offered()
        super().__init__(data, initial=_initial(project, self.members), use_required_attribute=False)
        usual = self.earlier[-1] if self.earlier else (project.protocols or [DEFAULT_PROTOCOL])[0]
        self.choose_protocol(usual if usual in self.offered or not self.offered else self.offered[0])
        self._choose("protocol", [(slug, get_protocol(slug).title) for slug in self.offered])
        self.fields |= own_fields(self.offered)
        # A setting without an input is not required.
        offered = {setting.name for slug in self.offered for setting in page_of(slug).settings}
        for name in COLUMNS - offered:
            del self.fields[name]
        for name, field in (("generators", "generator"), ("prompts", "prompt")):
            values = overview.distinct_values(project, field, CHOICES_SHOWN)
            self._choose(name, [(value, value) for value in values])
        self._choose("annotators", [(str(member.pk), member.code) for member in self.members])
        for member in self.members:
            most = IntegerField(min_value=0, max_value=LARGEST, required=False, error_messages=LIMIT)
            most.label = f"Image limit of {member.code}"
            self.fields[f"capacity_{member.pk}"] = most
        fixed = [get_protocol(slug).title for slug in self.offered if get_protocol(slug).outcome]
        self.real_title = fixed[0] if fixed and project.images.filter(IS_REAL).exists() else ""

    def _choose(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def protocols_offered(self) -> list[str]:
        """Return the slugs of the protocols available for the batch."""
        return [slug for slug in offered_protocols(self.project) if not page_of(slug).follows]

    def count(self) -> int:
        """Return the number of images selected."""
        return images_of(self.project, self.selection(), self.chosen.slug).count()

    def left_out(self) -> dict[str, int]:
        """Return how many selected images are left out, as `left_out_of`."""
        return left_out_of(self.project, self.selection(), self.chosen.slug)

    def lists(self) -> list[BoundField]:
        """Return the filters that are lists."""
        return [self["generators"], self["prompts"]]

    def people(self) -> list[dict[str, Any]]:
        """Return the rows of the annotators: the member, whether selected, and the input of the image limit.

        `waits` tells that they have no account yet; `qualified` names the protocols they are qualified for.
        """
        chosen, qualified = self["annotators"].value() or [], qualified_for(self.project)
        return [
            {
                "member": member,
                "ticked": str(member.pk) in chosen,
                "waits": waits_for_its_person(member),
                "capacity": self[f"capacity_{member.pk}"],
                "qualified": ", ".join(get_protocol(slug).title for slug in qualified.get(member.pk, ())),
            }
            for member in self.members
        ]

    def choose_protocol(self, slug: str) -> None:
        """Propose a batch under a protocol, with its usual overlap, and anchors if it has references.

        No more annotators per image than there are, but as many as a score needs.
        """
        # As many as matter to the overlap: the page opens as fast in a large project.
        images = images_of(self.project, self.selection(), slug)[:100].count()
        share, per_image = usual_overlap(slug, images)
        people, fewest = len(self.initial["annotators"]), get_protocol(slug).scored_from
        if fewest:
            per_image = max(min(per_image, people), fewest)
        elif people == 1:
            share = Fraction(0)
        anchors = SUGGESTED if has_references(self.project, slug) else 0
        self.initial.update(protocol=slug, overlap=int(share * 100), per_image=per_image, anchors=anchors)

    @property
    def chosen(self) -> Protocol:
        """The protocol chosen or proposed."""
        named = self["protocol"].value()
        return get_protocol(named if named in self.offered else self.initial["protocol"])

    @property
    def has_references(self) -> bool:
        """Whether there are references under that protocol."""
        return has_references(self.project, self.chosen.slug)

    @property
    def too_few(self) -> bool:
        """Whether fewer people are selected than a score under that protocol needs."""
        return len(self["annotators"].value() or ()) < self.chosen.scored_from

    @property
    def page(self) -> ProtocolPage:
        """What annotators under that protocol see."""
        return page_of(self.chosen.slug)

    @property
    def limited(self) -> bool:
        """Whether somebody has an image limit."""
        return any(self[f"capacity_{each.pk}"].value() for each in self.members)

    @property
    def invalid(self) -> list[BoundField]:
        """The inputs with errors, in the order of the form."""
        return [self[name] for name in self.fields if name in self.errors]

    def choose_people(self, ids: Collection[str]) -> None:
        """Propose these people, by id; without any, leave the proposal."""
        known = [str(each.pk) for each in self.members if str(each.pk) in ids]
        self.initial["annotators"] = known or self.initial["annotators"]
        self.choose_protocol(self.initial["protocol"])

    def some_wait(self) -> bool:
        """Return whether some of the annotators have no account yet."""
        return any(waits_for_its_person(member) for member in self.members)

    def selection(self) -> Selection:
        """Return the selection of images from the fields that are valid."""
        said = getattr(self, "cleaned_data", self.initial)
        return Selection(
            generators=tuple(said.get("generators", ())),
            prompts=tuple(said.get("prompts", ())),
            unassigned=said.get("which", "new") == "new",
            real=said.get("real") or 0,
        )

    def settings_offered(self) -> list[tuple[BoundField, BatchSetting, str]]:
        """Return the inputs of the chosen protocol's settings, with their values as text.

        That of suggestions is left out where there are none to show.
        """
        page = self.page
        there = page.suggested and run_to_show(self.project, page.suggested.kind)
        settings = [setting for setting in page.settings if there or setting != SUGGESTIONS]
        fields = [(self[setting.name], setting) for setting in settings]
        return [(field, setting, setting.in_words(field.value())) for field, setting in fields]

    def clean_protocol(self) -> str:
        """Return the protocol chosen; by default, the project's only one or the usual one."""
        named: str = self.cleaned_data["protocol"]
        if not named and len(self.earlier) > 1:
            raise forms.ValidationError("Choose a protocol: this project has several.")
        return named or self.initial["protocol"]

    def clean_name(self) -> str:
        """Refuse the name of another batch."""
        name: str = self.cleaned_data["name"]
        if self.project.batches.filter(name=name).exists():
            raise forms.ValidationError("Another batch of this project has this name. Choose another name.")
        return name

    def clean(self) -> dict[str, Any]:
        """Check fields that depend on each other; the design checks the others."""
        said: dict[str, Any] = self.cleaned_data
        protocol = said.get("protocol")
        shown = {name: said[name] for name in ("show_prompt", "show_generator") if name in said}
        try:
            check_blinding(protocol or "", **shown)
        except InvalidBatch as refused:
            self.add_error("show_prompt" if refused.code == "needs-prompt" else None, as_form_error(refused))
        if said.get("needs_standing") and protocol and not get_protocol(protocol).compare:
            self.add_error(
                "needs_standing",
                f"Annotations under “{get_protocol(protocol).title}” cannot be compared with references, so "
                "nobody can qualify.",
            )
        return said

    def batch_request(self) -> BatchRequest:
        """Return the request of a valid form."""
        said = self.cleaned_data
        people = [member for member in self.members if str(member.pk) in said["annotators"]]
        same = ("name", "per_image", "seed", "protocol", "show_prompt", "show_generator", "needs_standing")
        own = {
            setting.name: said[setting.name]
            for setting in page_of(said["protocol"]).settings
            if setting.name in COLUMNS or said[setting.name] not in (None, setting.default)
        }
        limits = {member.code: said[f"capacity_{member.pk}"] for member in people}
        return BatchRequest(
            selection=self.selection(),
            people=tuple(member.pk for member in people),
            capacities={code: most for code, most in limits.items() if most is not None},
            overlap=Fraction(said["overlap"]) / 100,
            anchors=said["anchors"] or 0,
            repeats=said["repeats"] or 0,
            top_up=said["top_up"] and bool(self.earlier),
            guided=bool(own.pop(GUIDED.name, False)),
            # A protocol without a running score shows none.
            score_shown=own.pop(SCORE_SHOWN.name, Batch.ScoreShown.NEVER.value),
            own_settings=own,
            **{name: said[name] for name in same},
        )

    def refuse(self, errors: Mapping[str, Sequence[str]]) -> None:
        """Attach the errors of a draw or a design to their fields."""
        for field, messages in errors.items():
            name = self.images_field if field == "images" else field
            if name == "which" and self.selection().unassigned:
                messages = [ALL_KNOWN if self.count() else ALL_GIVEN.format(all=WHICH["all"])]
            self.add_error(name if name in self.fields else None, list(messages))


def _initial(project: Project, members: Sequence[Membership]) -> dict[str, Any]:
    """Return what a new batch proposes: all annotators who have an account or an open invitation.

    Other places are left to the lead, because perhaps nobody ever takes them. Those of a recruitment link are
    proposed if its page asks.
    """
    taken = set(project.batches.filter(name__startswith="Batch ").values_list("name", flat=True))
    return {
        "name": next(name for number in count(1) if (name := f"Batch {number}") not in taken),
        "which": "new",
        "annotators": [
            str(member.pk)
            for member in members
            if member.role == Membership.Role.ANNOTATOR
            if (member.is_invited and not member.recruitment_id) or not waits_for_its_person(member)  # type: ignore[attr-defined]
        ],
        "seed": secrets.randbelow(1_000_000),
        "top_up": True,
        "score_shown": Batch.ScoreShown.NEVER,
    }


def own_fields(slugs: Collection[str], *, after_release: bool = False) -> dict[str, forms.Field]:
    """Return the inputs of these protocols' settings that have no column, by name."""
    settings = (setting for slug in slugs for setting in page_of(slug).settings)
    return {
        setting.name: _field(setting)
        for setting in settings
        if setting.name not in COLUMNS and not (after_release and setting.is_fixed)
    }


def _field(setting: BatchSetting) -> forms.Field:
    if setting.is_share:
        return forms.IntegerField(min_value=0, max_value=ALL_OF_THEM, required=False, initial=0)
    if not setting.choices:
        return forms.BooleanField(required=False)
    return forms.TypedChoiceField(
        choices=setting.choices,
        required=False,
        empty_value=str(setting.default),
        initial=setting.default,
        widget=forms.RadioSelect,
    )


def offered_protocols(project: Project) -> list[str]:
    """Return the slugs of the protocols available for release: what the project measures, else all."""
    known = (*service.PROTOCOLS, *forms_of(project)) if project.protocols is None else measured(project)
    return [slug for slug in known if slug in service.PROTOCOLS]
