"""Moments in templates: UTC without a script, and what the script needs for local time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from annotator.templatetags.times import moment

AT = datetime(2025, 1, 14, 23, 41, 5, tzinfo=UTC)


def test_a_moment_is_in_utc_with_its_shape() -> None:
    assert moment(AT) == (
        '<time datetime="2025-01-14T23:41:05+00:00" data-shape="j M Y, H:i" '
        'title="2025-01-14 23:41:05 UTC">14 Jan 2025, 23:41 UTC</time>'
    )


def test_another_zone_is_the_same_moment() -> None:
    assert moment(AT.astimezone(timezone(timedelta(hours=9)))) == moment(AT)


def test_no_moment_is_nothing() -> None:
    assert moment(None) == ""
