"""The form that orders a second stage: a batch whose images are drawn from those of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from django import forms
from django.http import QueryDict

from annotator.batches.designs import Selection
from annotator.batches.requests import BatchRequest
from annotator.batches.second_stage.answers import Ready, ready_of
from annotator.batches.second_stage.draw import WAYS, Draw
from annotator.models import Batch, Project
from annotator.web.forms.batches import LARGEST, BatchForm

CONTROL: Final = 10
_PER_CENT: Final = "A whole number from 0 to 100."


class SecondStageForm(BatchForm):
    """Everything about a batch that follows another; which images it takes stands in place of the filters."""

    draw = forms.ChoiceField(choices=list(WAYS.items()), widget=forms.RadioSelect, initial="all")
    draw_images = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), "A whole number from 1 on."),
    )
    leave_out = forms.BooleanField(required=False)
    control = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=100,
        initial=CONTROL,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), _PER_CENT),
    )

    def __init__(self, project: Project, followed: Batch, data: QueryDict | None = None) -> None:
        self.followed = followed
        super().__init__(project, data)
        for name in ("which", "generators", "prompts"):
            del self.fields[name]
        # Another protocol is other work: nobody has had less of it.
        self.initial["top_up"] = False

    @cached_property
    def ready(self) -> Ready:
        """How many images of the batch that is followed can be drawn now."""
        return ready_of(self.followed)

    def count(self) -> int:
        """Return how many images can be drawn."""
        return self.ready.images

    def protocols_offered(self) -> list[str]:
        """Return the slugs of the protocols but for that of the batch that is followed."""
        return [slug for slug in super().protocols_offered() if slug != self.followed.protocol]

    def selection(self) -> Selection:
        """Return a choice that lets all images through: the draw says which."""
        return Selection()

    def clean(self) -> dict[str, Any]:
        """Check what hangs together, also of the draw."""
        said = super().clean()
        if said.get("leave_out") and "control" in said and said["control"] is None:
            self.add_error("control", _PER_CENT)
        if not self.errors:
            self.refuse(self._draw().problems())
        return said

    def batch_request(self) -> BatchRequest:
        """Return what a valid form asks for."""
        return replace(super().batch_request(), draw=self._draw())

    def refuse(self, errors: Mapping[str, Sequence[str]]) -> None:
        """Put the refusals of a draw or a design beside the inputs they are about."""
        for field, messages in errors.items():
            name = {"images": "draw"}.get(field, field)
            self.add_error(name if name in self.fields else None, list(messages))

    def _draw(self) -> Draw:
        said = self.cleaned_data
        control = said["control"] if said["leave_out"] else None
        return Draw(self.followed.pk, said["draw"], said["draw_images"], control)
