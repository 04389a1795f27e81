"""The files of an upload as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import Case, QuerySet, Value, When
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator.models import Upload, UploadedFile
from annotator.people.access import uploaded_file_as_lead
from annotator.uploads.bytes import thumbnail_of
from annotator.uploads.editing import EditRefused, preview_names
from annotator.uploads.names.file_states import placed
from annotator.uploads.names.naming import PatternRefused
from annotator.uploads.status import counts
from annotator.web.forms.uploads import FileForm, defaults_in
from annotator.web.views.pages import safe_page
from annotator.web.views.paging import page_of
from annotator.web.views.uploads.uploads import upload_of

ROWS: Final = 25
SAMPLE: Final = 400
"""Names that are read to preview a pattern."""
MOST_READ: Final = 500
"""Pairs of generator and prompt that are summarised."""

State: Final = UploadedFile.State
EDITABLE: Final = (State.READY, State.UNCLEAR, State.DUPLICATE)
_TABS: Final = (
    State.READY,
    State.UNCLEAR,
    State.DUPLICATE,
    State.LARGE,
    State.REFUSED,
    State.IGNORED,
    State.TABLE,
    State.RECEIVED,
    State.RECEIVING,
    State.STORED,
)
_KINDS: Final = {
    State.READY: "ok",
    State.STORED: "ok",
    State.UNCLEAR: "warn",
    State.LARGE: "warn",
    State.REFUSED: "stop",
}


@dataclass(frozen=True)
class UploadRow:
    """One file for display; `form` while it is edited."""

    file: UploadedFile
    generator: str
    prompt: str
    prompt_group: str
    number: int | None
    state: str
    problem: str
    form: FileForm | None = None

    @property
    def folder(self) -> str:
        """The file's folders, with a trailing slash; empty for none."""
        return self.file.name[: len(self.file.name) - len(self.base)]

    @property
    def base(self) -> str:
        """The file's base name."""
        return self.file.name.rsplit("/", 1)[-1]

    @property
    def has_thumbnail(self) -> bool:
        """Whether the file was decoded and its thumbnail is kept; a stored file has its image."""
        return bool(self.file.sha256) and self.file.state != State.STORED

    @property
    def kind(self) -> str:
        """The style of the state's tag."""
        return _KINDS.get(State(self.state), "")

    @property
    def label(self) -> str:
        """The label of the state."""
        return str(State(self.state).label)

    @property
    def can_be_edited(self) -> bool:
        """Whether the lead can edit the row."""
        return self.file.state in EDITABLE and bool(self.file.sha256)


@dataclass(frozen=True)
class Tab:
    """A filter of the table by state, with its number of files."""

    value: str
    label: str
    count: int
    chosen: bool


def table_of(request: HttpRequest, upload: Upload, form: FileForm | None = None) -> dict[str, Any]:
    """Return tabs, page and rows for the query's `state`, `page` and `edit`."""
    found = counts(upload)
    state = request.GET.get("state", "")
    state = state if state in _TABS else ""
    page = page_of(request, _files(upload, state), ROWS)
    editing = form or _asked_for(request, list(page))
    all_files = sum(found[each] for each in _TABS)
    tabs = [Tab("", "All", all_files, not state)]
    tabs += [Tab(each, str(each.label), found[each], each == state) for each in _TABS if found[each]]
    rows = [_row(file, editing) for file in page]
    return {"counts": found, "tabs": tabs, "state": state, "page": page, "rows": rows}


@dataclass(frozen=True)
class NamesRead:
    """The generators and the number of prompts of the ready files; `more` if there are more than that."""

    generators: list[str]
    prompts: int
    more: bool


def names_read(upload: Upload) -> NamesRead:
    """Return the generators and prompts of an upload's ready files; one query."""
    ready = upload.files.filter(state=State.READY).order_by()
    pairs = list(ready.values_list("generator", "prompt").distinct()[: MOST_READ + 1])
    generators = sorted({generator for generator, _ in pairs if generator})
    return NamesRead(generators, len({prompt for _, prompt in pairs if prompt}), len(pairs) > MOST_READ)


@safe_page
def upload_names(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Preview a pattern on the rows of the current page."""
    upload = upload_of(request.user, slug, public_id)
    pattern = request.GET.get("pattern", "")
    try:
        context = _tried(request, upload, pattern, defaults_in(request.GET))
    except (PatternRefused, EditRefused) as refused:
        context = {"refused": refused}
    context |= {"project": upload.project, "upload": upload, "live": True}
    return render(request, "annotator/uploads/upload_tried.html", context)


@require_safe
@login_required
def upload_thumbnail(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Send the thumbnail of an uploaded file, drawn in the decoding process."""
    drawn = thumbnail_of(uploaded_file_as_lead(request.user, public_id))
    if drawn is None:
        raise Http404("No thumbnail.")
    headers = {
        "Cache-Control": "private, max-age=3600",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cross-Origin-Resource-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(drawn, content_type="image/webp", headers=headers)


def _tried(request: HttpRequest, upload: Upload, pattern: str, defaults: Mapping[str, str]) -> dict[str, Any]:
    sample = list(placed(upload).order_by("pk")[:SAMPLE])
    read = sum(not each.problem for each in preview_names(upload, pattern, sample, defaults))
    state = request.GET.get("state", "")
    page = page_of(request, _files(upload, state if state in _TABS else ""), ROWS)
    files = [file for file in page if file.state in EDITABLE and file.sha256]
    named = {each.file.pk: each for each in preview_names(upload, pattern, files, defaults)}
    rows = []
    for file in page:
        tried = named.get(file.pk)
        if tried is None:
            rows.append(_row(file, None))
            continue
        now = State.UNCLEAR if tried.problem else State.READY
        name = tried.named
        rows.append(
            UploadRow(file, name.generator, name.prompt, name.prompt_group, name.number, now, tried.problem)
        )
    return {"rows": rows, "read": read, "looked_at": len(sample), "page": page}


def _files(upload: Upload, state: str) -> QuerySet[UploadedFile]:
    files = upload.files.filter(state=state) if state else upload.files.filter(state__in=_TABS)
    # Ignored files come last.
    left_behind = Case(When(state=State.IGNORED, then=Value(1)), default=Value(0))
    return files.order_by(left_behind, "name", "pk").select_related("archive", "image")


def _asked_for(request: HttpRequest, files: Sequence[UploadedFile]) -> FileForm | None:
    wanted = request.GET.get("edit", "")
    found = next((file for file in files if str(file.public_id) == wanted), None)
    return None if found is None else FileForm(found)


def _row(file: UploadedFile, form: FileForm | None) -> UploadRow:
    return UploadRow(
        file=file,
        generator=file.generator,
        prompt=file.prompt,
        prompt_group=file.prompt_group,
        number=file.number,
        state=file.state,
        problem=file.problem,
        form=form if form is not None and form.file.pk == file.pk else None,
    )
