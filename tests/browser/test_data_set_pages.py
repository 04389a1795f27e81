"""The pages of a data set in a browser: no violation of accessibility rules, and they fit."""

from __future__ import annotations

import pytest

from analysis.reports.lifecycle import request_report, run_report
from annotator.data_sets.filtering import store_detections
from annotator.models import Image
from scoring.data_sets.filters import Detected
from tests.analysis.reports.test_data_sets import Study
from tests.browser.conftest import OpenPage
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations

PAGES = ("/projects/data/data-set/", "/projects/data/reports/data_set/?protocol=realism")


@pytest.mark.django_db(transaction=True)
@two_looks
def test_the_pages_of_a_data_set(open_page: OpenPage, scheme: str, size: str) -> None:
    study = Study()
    study.image("p3", "photo", generator="camera", attributes={"source": "real"})
    found = {study.images["i5"].pk: Detected(9, 5), study.images["i8"].pk: Detected(1, 1, 0.5, 0.95)}
    store_detections(study.project, found, actor=None)
    Image.objects.update(display_state="failed")
    run_report(request_report(project=study.project, kind="data_set", protocol="realism").pk)
    assert study.lead is not None
    width, height = VIEWPORTS[size]
    page = open_page(study.lead.username, color_scheme=scheme, viewport={"width": width, "height": height})
    for address in PAGES:
        page.goto(address)
        assert violations(page) == []
        wide = page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0
