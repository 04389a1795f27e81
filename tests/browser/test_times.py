"""Times on the pages: local, in the shape they have in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from unittest import mock

from playwright.sync_api import expect

from annotator.models import Event, Project
from tests.browser.conftest import OpenPage


def test_times_are_local_with_utc_on_hover(pilot: Project, open_page: OpenPage) -> None:
    with mock.patch("django.utils.timezone.now", return_value=datetime(2025, 1, 14, 23, 41, 5, tzinfo=UTC)):
        Event.objects.create(project=pilot, verb="project_created")
    page = open_page("lee", timezone_id="Asia/Tokyo")
    page.goto("/projects/pilot/history/")
    moment = page.locator("time[datetime='2025-01-14T23:41:05+00:00']")
    expect(moment).to_have_text("15 Jan 2025, 08:41:05")
    expect(moment).to_have_attribute("title", "2025-01-14 23:41:05 UTC")
    plain = open_page("lee", timezone_id="Asia/Tokyo", java_script_enabled=False)
    plain.goto("/projects/pilot/history/")
    expect(plain.locator("time").last).to_contain_text("UTC")
