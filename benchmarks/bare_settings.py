"""The real settings with two bare views beside the real ones, to compare with."""

from __future__ import annotations

from config.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.bare_urls"
