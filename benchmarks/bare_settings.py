"""The real settings with two bare views added as a baseline."""

from __future__ import annotations

from config.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.bare_urls"
