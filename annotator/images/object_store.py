"""Media in a bucket of an S3-compatible store: private objects, with errors as OSError.

Imported only by the storage's loader if MEDIA_STORE is set, because the library costs a second and 40 MB.
"""

from __future__ import annotations

import errno
import io
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NotConnected
from django.core.files.base import File
from storages.backends.s3 import S3Storage

from annotator.images.storage import StoreUnavailable

_ADDRESS_SECONDS: Final = 60
_BUFFER_BYTES: Final = 256 * 1024
# Web processes also save annotations: an image fails rather than blocking them for long.
_CONFIG: Final = Config(
    signature_version="s3v4",
    connect_timeout=2,
    read_timeout=10,
    retries={"total_max_attempts": 2, "mode": "standard"},
    # Only Amazon's store supports checksums in trailers.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)
_SILENT_SECONDS: Final = 10.0
"""Back-off, per process, after a store did not respond."""


class ObjectStore(S3Storage):  # type: ignore[misc]
    """Objects under their given names, replaced atomically.

    Raises FileNotFoundError for missing objects, and StoreUnavailable for all other errors.
    """

    def __init__(self, **options: Any) -> None:
        fixed = {
            "default_acl": None,
            "file_overwrite": True,
            "querystring_auth": True,
            "querystring_expire": _ADDRESS_SECONDS,
            "client_config": _CONFIG,
            "transfer_config": TransferConfig(use_threads=False),
            # Use either the given keys or those boto3 finds, never a mixture.
            "security_token": None,
            "session_profile": None,
        }
        super().__init__(**options, **fixed)
        self._silent_until = 0.0

    @property
    def connection(self) -> Any:
        """One connection per thread, never inherited from a parent process."""
        if getattr(self._connections, "process", None) != os.getpid():
            self._connections.connection = None
            self._connections.process = os.getpid()
        return super().connection

    @property
    def bucket(self) -> Any:
        """The bucket through this thread's connection."""
        return self.connection.Bucket(self.bucket_name)

    @contextmanager
    def asked(self, name: str = "") -> Iterator[None]:
        """Convert the library's exceptions to OSErrors with readable messages."""
        if time.monotonic() < self._silent_until:
            raise _unavailable("does not respond")
        try:
            yield
        except ClientError as error:
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
            code = str(error.response.get("Error", {}).get("Code", status))
            if status == 404 and code in {"404", "NoSuchKey"}:
                raise FileNotFoundError(errno.ENOENT, "there is no such object", name) from error
            raise _unavailable(f"refuses ({code})") from error
        except (HTTPClientError, NotConnected) as error:
            self._silent_until = time.monotonic() + _SILENT_SECONDS
            raise _unavailable("does not respond") from error
        except (BotoCoreError, Boto3Error) as error:
            raise _unavailable(f"cannot be used: {' '.join(str(error).split()).rstrip('.')}") from error

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        if mode != "rb":
            raise ValueError("Open objects with “rb”; write them with save().")
        return _ObjectFile(self, name)

    def _save(self, name: str, content: File[Any]) -> str:
        with self.asked(name):
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        """Remove an object, if it exists."""
        with self.asked(name):
            super().delete(name)

    def exists(self, name: str) -> bool:
        """Return whether an object of this name exists; folders are not objects."""
        with self.asked(name):
            return bool(name and super().exists(name))

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        """Return folders and files below a name, none if the folder is missing."""
        with self.asked(name):
            folders, files = super().listdir(name)
        return folders, files

    def size(self, name: str) -> int:
        """Return the size of an object in bytes."""
        with self.asked(name):
            return int(self.bucket.Object(self._normalize_name(name)).content_length)

    def get_modified_time(self, name: str) -> Any:
        """Return when an object was written."""
        with self.asked(name):
            return super().get_modified_time(name)

    def url(self, name: str, *args: Any, **options: Any) -> str:
        """Return a URL valid for a minute, for the proxy, never for a browser."""
        with self.asked(name):
            return str(super().url(name, *args, **options))


class _ObjectFile(File):  # type: ignore[type-arg]
    """An object that can be reopened after closing, like Django's files."""

    def __init__(self, store: ObjectStore, name: str) -> None:
        self._store = store
        super().__init__(_opened(store, name), name)

    def open(self, mode: str | None = None, *_: Any, **__: Any) -> _ObjectFile:
        if self.closed:
            self.file = _opened(self._store, self.name or "")
        self.seek(0)
        return self


def _opened(store: ObjectStore, name: str) -> io.BufferedReader:
    return io.BufferedReader(_Reader(store, name), _BUFFER_BYTES)


class _Reader(io.RawIOBase):
    """The bytes of an object, fetched on demand and not kept."""

    def __init__(self, store: ObjectStore, name: str) -> None:
        self._store, self._name = store, name
        self._at = 0
        self._body: Any = None
        with store.asked(name):
            where = {"Bucket": store.bucket_name, "Key": store._normalize_name(name)}
            head = store.connection.meta.client.head_object(**where)
        self._size = int(head["ContentLength"])
        # All pieces come from one version, even if the object is replaced in the meantime.
        self._where = {**where, "IfMatch": head["ETag"]}

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        if (place := max(0, start + offset)) != self._at:
            self._let_go()
            self._at = place
        return place

    def readinto(self, buffer: Any) -> int:
        if self._at >= self._size:
            return 0
        with self._store.asked(self._name):
            if self._body is None:
                client = self._store.connection.meta.client
                self._body = client.get_object(**self._where, Range=f"bytes={self._at}-")["Body"]
            part = self._body.read(len(buffer))
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def close(self) -> None:
        self._let_go()
        super().close()

    def _let_go(self) -> None:
        if self._body is not None:
            self._body.close()
            self._body = None


def _unavailable(words: str) -> StoreUnavailable:
    return StoreUnavailable(errno.EIO, f"the object store {words}")
