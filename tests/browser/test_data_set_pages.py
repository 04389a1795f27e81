"""The pages of a data set and of a comparison of realism in a browser: accessible, and they fit."""

from __future__ import annotations

import pytest

from analysis.data.metrics import store_metrics
from analysis.reports.lifecycle import request_report, run_report
from annotator.data_sets.filtering import store_detections
from annotator.models import Image
from scoring.data_sets.filters import Detected
from tests.analysis.reports.test_data_sets import Study
from tests.browser.conftest import OpenPage
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations

REPORTS = "/projects/data/reports/"
PAGES = (
    "/projects/data/data-set/",
    *(f"{REPORTS}{each}" for each in ("data_set/", "comparison/", "comparison/metrics/")),
)


@pytest.mark.django_db(transaction=True)
@two_looks
def test_the_pages_of_a_data_set(open_page: OpenPage, scheme: str, size: str) -> None:
    study = Study()
    study.image("p3", "photo", "8 8 8", generator="camera", attributes={"source": "real"})
    study.image("p3", "j0", generator="gB")
    study.image("p1", "j1", "3 3 3", generator="gB")
    study.image("p2", "j2", "4 4 4", generator="gB")
    store_metrics(study.project, {"FID": {image.pk: float(image.pk) for image in study.images.values()}})
    found = {study.images["i5"].pk: Detected(9, 5), study.images["i8"].pk: Detected(1, 1, 0.5, 0.95)}
    store_detections(study.project, found, actor=None)
    Image.objects.update(display_state="failed")
    for kind in ("data_set", "comparison"):
        run_report(request_report(project=study.project, kind=kind, protocol="realism").pk)
    assert study.lead is not None
    width, height = VIEWPORTS[size]
    page = open_page(study.lead.username, color_scheme=scheme, viewport={"width": width, "height": height})
    for address in PAGES:
        page.goto(address)
        assert violations(page) == []
        wide = page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0
        if size == "small" and (refresh := page.get_by_role("button", name="Refresh")).count():
            # Beside the sentence, not below it.
            line = page.locator(".report-line").bounding_box()
            button = refresh.bounding_box()
            assert line is not None
            assert button is not None
            assert line["height"] < 1.5 * button["height"]
