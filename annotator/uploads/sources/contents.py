"""Read an upload's files from any source: received, in an archive, in a folder, in a bucket."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings

from annotator.images.decoding import UnreadableImage, read_limited
from annotator.models import Upload, UploadedFile
from annotator.uploads.receiving import path_of
from annotator.uploads.sources.sources import FileSource, Folder, SingleFile


class ReceivedFiles:
    """Received files, one per row."""

    def open(self, file: UploadedFile) -> BinaryIO:
        """Open a received file for reading. Raises OSError."""
        return path_of(file).open("rb")

    def path(self, file: UploadedFile) -> Path:
        """Return the path of the file."""
        return path_of(file)

    def close(self) -> None:
        """Do nothing."""


class Elsewhere:
    """Rows that refer to files of a source."""

    def __init__(self, source: FileSource) -> None:
        self._source = source

    def open(self, file: UploadedFile) -> BinaryIO:
        """Open the file of a row. Raises OSError."""
        return self._source.open(file.name)

    def path(self, file: UploadedFile) -> Path:
        """Return its local path. Raises OSError."""
        return self._source.path(file.name)

    def close(self) -> None:
        """Close the source."""
        self._source.close()


class UploadContents:
    """Read the files of one upload, including entries of archives. Thread-safe."""

    def __init__(self, upload: Upload) -> None:
        self._place = _place_of(upload)
        self._upload = upload

    def __enter__(self) -> UploadContents:
        return self

    def __exit__(self, *_: object) -> None:
        self._place.close()

    def path(self, file: UploadedFile) -> Path:
        """Return the local path of a file that is not an entry. Raises OSError."""
        file.upload = self._upload
        return self._place.path(file)

    def start(self, file: UploadedFile, length: int) -> bytes:
        """Return the first bytes of a file that is not an entry. Raises OSError."""
        file.upload = self._upload
        with self._place.open(file) as opened:
            return opened.read(length)

    def read(self, file: UploadedFile, max_bytes: int | None = None) -> bytes:
        """Return the contents of a file, by default up to the limit of an image.

        Raises UnreadableImage if it is empty, too large, or damaged in its archive; OSError if it is missing.
        """
        most = max_bytes or settings.MAX_IMAGE_BYTES
        if file.size > most:
            raise UnreadableImage(f"the file is larger than {most:,} bytes")
        file.upload = self._upload
        if file.archive is not None:
            return self._entry(file.archive, file, most)
        with self._place.open(file) as opened:
            return read_limited(opened, max_bytes=most)

    def _entry(self, archive: UploadedFile, file: UploadedFile, most: int) -> bytes:
        from annotator.uploads.archives.archives import ArchiveRefused, open_entry

        assert file.entry is not None  # a constraint of the database
        try:
            contents = open_entry(self.path(archive), file.entry, most)
        except ArchiveRefused as error:
            raise UnreadableImage(str(error)) from error
        if not contents:
            raise UnreadableImage("the file is empty")
        return contents


def _place_of(upload: Upload) -> ReceivedFiles | Elsewhere:
    source = upload.choices.get("source")
    return Elsewhere(open_source(source)) if source else ReceivedFiles()


def open_source(source: dict[str, Any]) -> FileSource:
    """Return the source in an upload's choices. Raises SourceRefused."""
    if source["kind"] == "s3":
        from annotator.uploads.sources.buckets import Bucket

        return Bucket(source["bucket"], source["prefix"])
    path = Path(source["path"])
    return Folder(path) if source["kind"] == "folder" else SingleFile(path)
