"""Media in a bucket of an S3-compatible store: private objects, with errors as OSError.

Imported only by the storage's loader if MEDIA_STORE is set, because the library costs a second and 40 MB.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, BinaryIO, Final, cast

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NotConnected
from django.core.files.base import File
from storages.backends.s3 import S3File, S3Storage
from storages.utils import clean_name

from annotator.images.storage import StoreUnavailable

_ADDRESS_SECONDS: Final = 60
_IN_MEMORY_BYTES: Final = 16 * 1024 * 1024
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
            "max_memory_size": _IN_MEMORY_BYTES,
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
        with self.asked(name):
            return cast("File[bytes]", _ObjectFile(self._normalize_name(clean_name(name)), mode, self))

    def fetch(self, name: str, target: BinaryIO) -> None:
        """Write an object into a file. Opening it would keep another copy, perhaps in memory."""
        with self.asked(name):
            self.bucket.Object(self._normalize_name(clean_name(name))).download_fileobj(
                target, Config=self.transfer_config
            )

    def exists(self, name: str) -> bool:
        """Return whether an object of this name exists; folders are not objects."""
        with self.asked(name):
            return bool(name and super().exists(name))

    def size(self, name: str) -> int:
        """Return the size of an object in bytes."""
        with self.asked(name):
            return int(self.bucket.Object(self._normalize_name(name)).content_length)


def _asking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of the library that raises as `asked`; all others take a name first."""

    @wraps(method)
    def asking(store: ObjectStore, name: str, *args: Any, **options: Any) -> Any:
        with store.asked(name):
            return method(store, name, *args, **options)

    return asking


for _name in ("_save", "delete", "listdir", "get_modified_time", "url"):
    setattr(ObjectStore, _name, _asking(getattr(S3Storage, _name)))


class _ObjectFile(S3File):  # type: ignore[misc]
    """An object, which is fetched whole when it is first read, and can be reopened."""

    def _get_file(self) -> Any:
        with self._storage.asked(self.name):
            return super()._get_file()

    file = property(_get_file, S3File._set_file)


def _unavailable(words: str) -> StoreUnavailable:
    return StoreUnavailable(errno.EIO, f"the object store {words}")
