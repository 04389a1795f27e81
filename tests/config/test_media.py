"""Where media are kept, read from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.env import MediaStore, media_store

KEYS = ("MEDIA_STORE_ACCESS_KEY", "MEDIA_STORE_SECRET_KEY")
NAMES = ("MEDIA_STORE", "MEDIA_STORE_ENDPOINT", "MEDIA_STORE_REGION", *KEYS, *(f"{key}_FILE" for key in KEYS))


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_without_variables_media_are_in_a_folder(environment: pytest.MonkeyPatch) -> None:
    assert media_store() is None
    assert settings.MEDIA_STORE is None
    assert settings.STORAGES["default"] == {"BACKEND": "django.core.files.storage.FileSystemStorage"}


def test_keys_come_from_files_and_are_never_shown(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for key in KEYS:
        (tmp_path / key).write_text(f"value-of-{key}\n")
        environment.setenv(f"{key}_FILE", str(tmp_path / key))
    environment.setenv("MEDIA_STORE", "s3://pictures/team/one/")
    environment.setenv("MEDIA_STORE_ENDPOINT", "https://store.example.org:9000/")
    environment.setenv("MEDIA_STORE_REGION", "eu-central-1")
    found = media_store()
    assert found == MediaStore(
        "pictures",
        "team/one",
        "https://store.example.org:9000",
        "eu-central-1",
        "value-of-MEDIA_STORE_ACCESS_KEY",
        "value-of-MEDIA_STORE_SECRET_KEY",
    )
    assert "value-of" not in repr(found)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        *(
            ({"MEDIA_STORE": address}, "names no bucket")
            for address in (
                *("pictures", "s3://", "s3:///one", "https://pictures/one", "s3://a", "s3://-pictures"),
                *("s3://pictures//one", "s3://pictures/../one", "s3://pictures/a b", "s3://pictures/ä"),
                *("s3://user:secret@pictures/one", "s3://pictures/one?x=1", "S3://pictures"),
            )
        ),
        *(
            ({"MEDIA_STORE": "s3://pictures", "MEDIA_STORE_ENDPOINT": endpoint}, "is not an endpoint")
            for endpoint in (
                *("store.example.org", "ftp://store.example.org", "https://", "https://store:port"),
                *("https://user:secret@store.example.org", "https://store.example.org/pictures"),
            )
        ),
        ({"MEDIA_STORE_ENDPOINT": "https://store.example.org"}, "MEDIA_STORE is not set, but other"),
        ({"MEDIA_STORE_REGION": "eu-central-1"}, "MEDIA_STORE is not set, but other"),
        ({"MEDIA_STORE": "s3://pictures", KEYS[0]: "a-key"}, "Set both or neither"),
        ({"MEDIA_STORE": "s3://pictures", KEYS[1]: "a-key"}, "Set both or neither"),
        ({"MEDIA_STORE": "s3://pictures", f"{KEYS[0]}_FILE": "/nowhere"}, "cannot be read"),
    ],
)
def test_half_and_wrong_settings_are_refused(
    environment: pytest.MonkeyPatch, given: dict[str, str], words: str
) -> None:
    for name, text in given.items():
        environment.setenv(name, text)
    with pytest.raises(ImproperlyConfigured, match=words) as refused:
        media_store()
    assert "secret@store" not in str(refused.value)
