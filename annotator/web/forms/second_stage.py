"""The form of a second stage: a batch whose images are drawn from another batch."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from django import forms
from django.http import QueryDict

from annotator.batches.designs import Selection
from annotator.batches.requests import BatchRequest
from annotator.batches.second_stage.annotations import ready_of
from annotator.batches.second_stage.drawing import WAYS, Draw
from annotator.inputs.numbers import IntegerField
from annotator.models import Batch, Project
from annotator.protocols.registry import page_of
from annotator.web.forms.batches import BatchForm, offered_protocols

CONTROL: Final = 10
_PER_CENT: Final = "Enter a whole number from 0 to 100."
_SOME: Final = "Enter at least 1 image, or leave this empty to take all."
_WRONG: Final = ("invalid", "min_value", "max_value")


class SecondStageForm(BatchForm):
    """The data of a batch that follows another; a draw replaces the image filters."""

    images_field = "draw"

    draw = forms.ChoiceField(
        label="Images", choices=list(WAYS.items()), widget=forms.RadioSelect, initial="sample"
    )
    draw_images = IntegerField(
        label="Number of images", required=False, min_value=1, error_messages=dict.fromkeys(_WRONG, _SOME)
    )
    leave_out = forms.BooleanField(required=False)
    control = IntegerField(
        required=False,
        initial=CONTROL,
        min_value=0,
        max_value=100,
        error_messages=dict.fromkeys(_WRONG, _PER_CENT),
    )

    def __init__(self, project: Project, followed: Batch, data: QueryDict | None = None) -> None:
        self.followed = followed
        super().__init__(project, data)
        for name in ("which", "generators", "prompts"):
            del self.fields[name]
        # Under another protocol, earlier batches are no imbalance.
        self.initial["top_up"] = False

    @cached_property
    def ready(self) -> dict[str, int]:
        """Images of the followed batch that can be drawn now."""
        return ready_of(self.followed)

    def left_out(self) -> dict[str, int]:
        """Return how many images of the followed batch the filters leave out; the drawing says the rest."""
        return {"excluded": self.ready["filtered"], "real": 0}

    def count(self) -> int:
        """Return the number of images that can be drawn."""
        return self.ready["images"]

    def protocols_offered(self) -> list[str]:
        """Return the slugs of all protocols that can follow the batch."""
        return [slug for slug in offered_protocols(self.project) if self._can_follow(slug)]

    def _can_follow(self, slug: str) -> bool:
        follows = page_of(slug).follows
        return slug != self.followed.protocol and (not follows or follows.protocol == self.followed.protocol)

    def selection(self) -> Selection:
        """Return a selection of all images; the draw narrows it."""
        return Selection()

    def clean(self) -> dict[str, Any]:
        """Check fields that depend on each other."""
        said = super().clean()
        if said.get("leave_out") and "control" in said and said["control"] is None:
            self.add_error("control", _PER_CENT)
        return said

    def batch_request(self) -> BatchRequest:
        """Return the request of a valid form."""
        said = self.cleaned_data
        control = said["control"] if said["leave_out"] else None
        draw = Draw(self.followed.pk, said["draw"], said["draw_images"], control)
        return replace(super().batch_request(), draw=draw)
