"""A file of annotations that somebody brings, to be read by a worker."""

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
    """Ask for the reading of a form's `file`; None, with the form saying why, where it is not taken.

    `ask` is called with `name` and `contents` of the file, and with what else the form asks for.
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
        words = f"The file could not be kept: {error.strerror or error}. Send it again later."
        form.add_error("file", forms.ValidationError(words, code=_NOT_KEPT))
    return None


def status_of(form: forms.Form) -> int:
    """The page's status: 200, 422 for what the person can mend, 409 for a request that was another file's,
    429 for too much, 507 for a full disk.
    """
    if form.has_error("file", _NOT_KEPT):
        return 507
    if any(form.has_error("file", code) for code in _TOO_MUCH):
        return 429
    if form.has_error(NON_FIELD_ERRORS, _USED):
        return 409
    return 422 if form.errors else 200
