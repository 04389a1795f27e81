"""What the preview of a batch warns of: images that annotators still remember from another protocol."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from annotator.models import Assignment, Project
from tests.analysis.factories import make_submitted
from tests.annotator.planned import confirmation
from tests.annotator.web.views.lead.test_batch_new import (  # noqa: F401 - fixtures too
    address,
    lead,
    order,
    project,
)
from tests.support.codes import codes, numbers


def test_the_preview_warns_of_images_judged_under_another_protocol_within_the_gap(
    project: Project,  # noqa: F811
    lead: Client,  # noqa: F811
) -> None:
    other = {"which": "all", "name": "Next", "top_up": "", "protocol": "presence"}
    lead.post(address(project), confirmation(lead.post(address(project), order(project, which="all"))))

    def warned(**more: str) -> list[str]:
        page = lead.post(address(project), order(project, **other, **more))
        return numbers(page, "again-soon") if "again-soon" in codes(page) else []

    # All are open.
    assert (warned(), warned(gap_days="30"), warned(gap_days="0")) == (["20", "7"], ["20", "30"], [])
    done = Assignment.objects.order_by("pk")
    for days, assignment in enumerate(done):
        moment = timezone.now() - timedelta(days=days, hours=1)
        make_submitted(assignment.annotator, assignment=assignment, submitted_at=moment)
    done.update(status="done")
    assert (warned(), warned(gap_days="1"), warned(gap_days="")) == (["7", "7"], ["1", "1"], ["7", "7"])
    again = lead.post(address(project), order(project, which="all", name="Next", top_up=""))
    assert "again-soon" not in codes(again)
    page = lead.post(address(project), order(project, name="Wrong", gap_days="-1"))
    assert (page.status_code, list(page.context["form"].errors)) == (422, ["gap_days"])


def test_one_button_leaves_the_images_judged_lately_out(
    project: Project,  # noqa: F811
    lead: Client,  # noqa: F811
) -> None:
    first: dict[str, Any] = {"which": "all", "generators": ["painter"]}
    lead.post(address(project), confirmation(lead.post(address(project), order(project, **first))))
    other = {"which": "all", "name": "Next", "top_up": "", "protocol": "presence"}
    page = lead.post(address(project), order(project, **other))
    assert (numbers(page, "leave-recent"), page.context["facts"]["images"]) == (["8"], 16)
    (form,) = re.findall(r"<form[^>]*>(?:(?!</form>).)*leave-recent.*?</form>", page.content.decode(), re.S)
    sent: dict[str, list[str]] = {"action": ["preview"]}
    for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form):
        sent.setdefault(name, []).append(value)
    page = lead.post(address(project), sent)
    assert (numbers(page, "recent"), page.context["facts"]["images"]) == (["8", "7"], 8)
    assert not {"again-soon", "leave-recent"} & set(codes(page))
    assert 'name="leave_recent" id="id_leave_recent" checked' in str(
        lead.post(address(project), {**sent, "action": "edit"}).content
    )
    lead.post(address(project), confirmation(page))
    assert set(Assignment.objects.filter(batch__name="Next").values_list("image__generator", flat=True)) == {
        "sculptor"
    }
