"""Uploads by command, from a folder, an archive or a bucket that the server can read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from annotator.database.transactions import write_transaction
from annotator.exchange.formats.names import printable
from annotator.models import Project, Upload, UploadedFile
from annotator.uploads.names.explicit import problem
from annotator.uploads.names.naming import parse_pattern
from annotator.uploads.paths import LONGEST_NAME, fault_of
from annotator.uploads.sources.contents import open_source
from annotator.uploads.sources.sources import Found, SourceRefused

S3: Final = "s3://"
_CHUNK: Final = 500
State: Final = UploadedFile.State


def source_of(text: str) -> dict[str, Any]:
    """Parse a SOURCE: a folder, a file, or `s3://bucket/prefix`. Raises SourceRefused."""
    if text.startswith(S3):
        bucket, _, prefix = text.removeprefix(S3).partition("/")
        if not bucket:
            raise SourceRefused(f"“{text}” names no bucket. Use s3://BUCKET or s3://BUCKET/PREFIX.")
        return {"kind": "s3", "bucket": bucket, "prefix": prefix}
    path = Path(text).absolute()
    if not path.exists():
        raise SourceRefused(f"There is no file or folder {text}.")
    return {"kind": "folder" if path.is_dir() else "file", "path": str(path)}


def open_upload(
    *, project: Project, source: dict[str, Any], pattern: str = "", manifest: Path | None = None
) -> Upload:
    """Create an upload with a row per file of a source, which is read in place.

    Raises SourceRefused, with nothing kept, if it cannot be listed or is empty; PatternRefused.
    """
    plain = parse_pattern(pattern).text if pattern.strip() else ""
    choices = {"source": source, **({"manifest": str(manifest.absolute())} if manifest else {})}
    upload = Upload.objects.create(project=project, pattern=plain, choices=choices)
    try:
        if not _list_files(upload, source):
            raise SourceRefused("The source has no files.")
    except SourceRefused:
        close(upload)
        raise
    return upload


def close(upload: Upload) -> None:
    """Delete an upload without stored files, from its last file to its first."""
    while pks := list(upload.files.order_by("-pk").values_list("pk", flat=True)[:_CHUNK]):
        with write_transaction():
            upload.files.filter(pk__in=pks).delete()
    upload.delete()


def _list_files(upload: Upload, source: dict[str, Any]) -> int:
    listed = 0
    opened = open_source(source)
    try:
        found = opened.files()
        while chunk := list(islice(found, _CHUNK)):
            listed += len(chunk)
            if listed > settings.MAX_UPLOAD_FILES:
                raise SourceRefused(f"More than {settings.MAX_UPLOAD_FILES:,} files. Import them in parts.")
            with write_transaction():
                UploadedFile.objects.bulk_create(_rows(upload, chunk), ignore_conflicts=True)
    finally:
        opened.close()
    return listed


def _rows(upload: Upload, files: list[Found]) -> Iterator[UploadedFile]:
    for file in files:
        fault = fault_of(file.name)
        state, words = (State.REFUSED, f"Ignored: {fault}.") if fault else (State.RECEIVED, "")
        name = printable(file.name)[-LONGEST_NAME:]
        yield UploadedFile(upload=upload, name=name, size=file.size, state=state, problem=problem(words))
