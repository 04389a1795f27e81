"""axe-core on every page of every role, with everything on it that a project can have."""

from __future__ import annotations

import pytest
from django.test import Client

from annotator.models import User
from tests.browser.conftest import OpenPage
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations
from tests.browser.test_markup import ROLES, pages_of
from tests.permissions.world import make_side


@two_looks
@pytest.mark.timeout(1800)  # opens every page there is
def test_no_page_of_any_role_violates_anything(
    open_page: OpenPage, transactional_db: None, scheme: str, size: str
) -> None:
    side, found, opened = make_side(1), {}, 0
    width, height = VIEWPORTS[size]
    for who, attribute in ROLES.items():
        account = User.objects.get(pk=getattr(side, attribute).user_id)
        client = Client()
        client.force_login(account)
        page = open_page(account.username, color_scheme=scheme, viewport={"width": width, "height": height})
        for address in pages_of(side, who, client):
            if not client.get(address).content.lstrip().startswith(b"<!doctype"):
                continue  # a part, which a page fetches
            page.goto(address)
            opened += 1
            if rules := violations(page):
                found[f"{address} as {who}"] = rules
        page.close()
    assert found == {}
    assert opened > 90
