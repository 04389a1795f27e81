"""Settings of the test run: the real ones, writing to a temporary folder."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from typing import Any

_HOME = tempfile.mkdtemp(prefix="anatomark-test-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
os.environ["VAR_DIR"] = _HOME
os.environ["MEDIA_ROOT"] = os.path.join(_HOME, "media")
os.environ.setdefault("SECRET_KEY", "only-for-tests-" + "0" * 40)
os.environ["QUEUE_PREFIX"] = f"anatomark-test-{os.getpid()}:"

from whitenoise.middleware import WhiteNoiseMiddleware  # noqa: E402

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, MIDDLEWARE, STATIC_ROOT, VAR_DIR  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: the live server's threads must meet in a real database.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
else:
    DATABASES["default"]["TEST"] = {"NAME": f"test_anatomark_{os.getpid()}"}
    # Nothing waits for a disk that no test takes the power from.
    DATABASES["default"]["OPTIONS"]["options"] = "-c synchronous_commit=off"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
# The live server cannot do without an address for media, although the site has none.
MEDIA_URL = "/media-is-private/"


class ListedOnce(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Static files as the site has them, listed once in a process.

    A site lists its hundreds of files as it starts; every client of a test would do so with its first
    request, which takes many times as long as the request.
    """

    found: dict[str, Any] = {}

    def add_files_from_finders(self) -> None:
        """Add what the finders find, as the first client of this process found it."""
        if not self.found:
            super().add_files_from_finders()
            self.found.update(self.files)
        self.files.update(self.found)


MIDDLEWARE[MIDDLEWARE.index("whitenoise.middleware.WhiteNoiseMiddleware")] = "tests.settings.ListedOnce"
# As on a site that sends email, so that the pages for a new password exist.
MAIL_FROM = DEFAULT_FROM_EMAIL = "study@example.org"
