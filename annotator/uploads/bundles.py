"""Publication bundles among uploads: a zip with a data package of Anatomark."""

from __future__ import annotations

import json
from typing import Final

from annotator.models import Upload, UploadedFile
from annotator.uploads.archives.archives import ArchiveRefused, is_archive, list_entries, open_entry
from annotator.uploads.sources.contents import UploadContents
from annotator.work.machine_faults import check_machine

DESCRIPTOR: Final = "datapackage.json"
PROJECT: Final = "project.json"
FORMAT: Final = "anatomark-bundle"
MOST_CODES: Final = 500
_MOST_BYTES: Final = 4 * 1024 * 1024


def is_bundle(upload: Upload, contents: UploadContents) -> bool:
    """Return whether an upload is a publication bundle: its only file is an archive with our data package."""
    if upload.kind == Upload.Kind.BUNDLE:
        return True
    files = list(upload.files.filter(archive=None).exclude(state=UploadedFile.State.IGNORED)[:2])
    if len(files) != 1 or files[0].state != UploadedFile.State.RECEIVED:
        return False
    try:
        path = contents.path(files[0])
        if not is_archive(path):
            return False
        for entry in list_entries(path):
            if entry.name.split("/")[-1] == DESCRIPTOR and entry.name.count("/") <= 1 and not entry.problem:
                return _is_ours(open_entry(path, entry.index, _MOST_BYTES))
    except (ArchiveRefused, OSError) as error:
        if isinstance(error, OSError):
            check_machine(error)
        # Faults are reported when the archive is listed.
        return False
    return False


def codes_in_bundle(upload: Upload, contents: UploadContents) -> list[str]:
    """Return the codes of the active members in a bundle, for a lead who is one of them; at most MOST_CODES.

    A bundle is checked when it is restored: one that cannot be read here has none.
    """
    file = upload.files.filter(archive=None).exclude(state=UploadedFile.State.IGNORED).first()
    try:
        if file is None:
            return []
        path = contents.path(file)
        places = [entry for entry in list_entries(path) if _is_project(entry.name) and not entry.problem]
        found = json.loads(open_entry(path, places[0].index, _MOST_BYTES)) if places else {}
        people = [each for each in found["people"] if each["is_active"] is True]
        codes = [code for each in people if isinstance(code := each["code"], str) and 0 < len(code) <= 80]
    except (ArchiveRefused, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, OSError):
            check_machine(error)
        return []
    return [code for code in codes if code.isprintable()][:MOST_CODES]


def _is_project(name: str) -> bool:
    return name.split("/")[-1] == PROJECT and name.count("/") <= 1


def _is_ours(text: bytes) -> bool:
    try:
        package = json.loads(text)
    except (ValueError, RecursionError):
        return False
    ours = package.get("anatomark") if isinstance(package, dict) else None
    return isinstance(ours, dict) and ours.get("format") == FORMAT
