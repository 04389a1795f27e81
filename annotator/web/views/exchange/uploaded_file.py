"""Accept an uploaded annotation file for a worker to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from annotator.inputs.refusal import as_form_error
from annotator.models import Job
from annotator.work.jobs import JobRefused
from annotator.work.quota import QuotaRefused

_NOT_KEPT: Final = "not_kept"
_USED: Final = "key-reused"
_TOO_MUCH: Final = ("too_many_waiting", "too_fast", "too_much_kept")


def reading_of(form: forms.Form, ask: Callable[..., Job]) -> Job | None:
    """Request the reading of a form's `file`; None, with errors on the form, if it is refused.

    `ask` is called with the `name` and `contents` of the file, and the form's other fields.
    """
    if not form.is_valid():
        return None
    said = dict(form.cleaned_data)
    file = said.pop("file")
    try:
        return ask(name=file.name, contents=file.read(), **said)
    except QuotaRefused as refused:
        form.add_error("file", as_form_error(refused))
    except JobRefused as refused:
        form.add_error(None, as_form_error(refused))
    except OSError as error:
        words = f"The file could not be stored: {error.strerror or error}. Upload it again later."
        form.add_error("file", forms.ValidationError(words, code=_NOT_KEPT))
    return None


def status_of(form: forms.Form) -> int:
    """Return the page's status: 200, 422 for an input error, 409 for a reused idempotency key, 429 for an
    exceeded quota, 507 for a full disk.
    """
    if form.has_error("file", _NOT_KEPT):
        return 507
    if any(form.has_error("file", code) for code in _TOO_MUCH):
        return 429
    if form.has_error(NON_FIELD_ERRORS, _USED):
        return 409
    return 422 if form.errors else 200
