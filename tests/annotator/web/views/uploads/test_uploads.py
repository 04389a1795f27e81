"""The pages of uploads: what they show, ask and do, and that they do not grow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from annotator.models import Event, Job, Upload
from annotator.web.views.uploads.upload_page import NO_WORKER
from annotator.work.jobs import run_job
from tests.annotator.uploads.bringing import bring, picture, zipped
from tests.annotator.web.views.conftest import Study
from tests.factories import LEAD, make_member, make_project
from tests.support.codes import codes, numbers

UPLOADS = "/projects/pilot/uploads/"


@pytest.fixture(autouse=True)
def places(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.UPLOAD_RESERVE_BYTES = 0


def pictures(*names: str) -> dict[str, bytes]:
    return {name: picture(place) for place, name in enumerate(names)}


def work() -> None:
    for job in Job.objects.filter(status="queued"):
        assert run_job(job.pk)


def read(client: Client, upload: Upload) -> Upload:
    """An upload as it is once a worker has read it."""
    assert act(client, upload, "read").status_code == 302
    work()
    upload.refresh_from_db()
    assert upload.status == "ready"
    return upload


def page_of(upload: Upload, part: str = "") -> str:
    return f"/projects/{upload.project.slug}/uploads/{upload.public_id}/{part}"


def act(client: Client, upload: Upload, action: str, **fields: Any) -> Any:
    sent = {"action": action, "request_key": str(uuid4()), **fields}
    return client.post(page_of(upload), sent)


def post_json(client: Client, address: str, body: Any) -> Any:
    return client.post(address, json.dumps(body), content_type="application/json")


def progress(client: Client, upload: Upload, step: str = "working") -> Any:
    return client.get(page_of(upload, "progress/"), {"step": step})


class TestBeginning:
    def test_a_script_is_told_where_files_go(self, study: Study, as_lead: Client) -> None:
        key = str(uuid4())
        told = [post_json(as_lead, UPLOADS, {"request_key": key}).json() for _ in range(2)]
        upload = Upload.objects.get()
        assert told[0] == told[1]
        assert told[0] == {
            "page": page_of(upload),
            "files": f"/uploads/{upload.public_id}/files/",
            "known": f"/uploads/{upload.public_id}/known/",
        }
        assert Event.objects.filter(verb="upload_begun").count() == 1

    def test_too_many_open_uploads(self, study: Study, as_lead: Client, settings: Settings) -> None:
        settings.UPLOADS_OPEN = 1
        answers = [post_json(as_lead, UPLOADS, {"request_key": str(uuid4())}) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 413]
        assert answers[1].json()["error"] == "too_many"


class TestNames:
    def test_what_was_read_is_shown_by_generator_and_prompt(self, study: Study, as_lead: Client) -> None:
        files = pictures("p/a_hand/1.png", "p/a_hand/7.png", "q/a_hand/2.png", "lost.png")
        upload = bring(study.project, {"images.zip": zipped(files), "broken.png": b"none"})
        page = as_lead.get(page_of(read(as_lead, upload)))
        assert numbers(page, "ready") == ["3"]
        assert [(row["generator"], row["prompt"], row["images"]) for row in page.context["page"]] == [
            ("p", "a hand", 2),
            ("q", "a hand", 1),
        ]
        assert "1 to 7" in page.content.decode()
        assert [(file.name, file.state) for file in page.context["troubles"]] == [
            ("broken.png", "refused"),
            ("lost.png", "unclear"),
        ]
        assert "doubtful" not in codes(page)

    def test_one_generator_for_all_is_asked(self, study: Study, as_lead: Client) -> None:
        files = pictures(*(f"ComfyUI_{number:05}_.png" for number in range(6)))
        upload = read(as_lead, bring(study.project, files))
        page = as_lead.get(page_of(upload))
        assert "Which generator made these images?" in page.content.decode()
        assert "question" in codes(page)
        assert not page.context["troubles"]
        act(as_lead, upload, "name", generator="SDXL", prompt="a hand")
        work()
        page = as_lead.get(page_of(upload))
        assert ("question" in codes(page), numbers(page, "ready")) == (False, ["6"])

    def test_a_pattern_is_used_or_refused(self, study: Study, as_lead: Client) -> None:
        upload = read(as_lead, bring(study.project, pictures("p/a/1.png", "q/a/2.png", "q/a/3.png")))
        refused = act(as_lead, upload, "name", pattern="{a")
        assert (refused.status_code, "brace" in codes(refused)) == (422, True)
        long = act(as_lead, upload, "name", generator="x" * 121)
        assert (long.status_code, "generator-long" in codes(long)) == (409, True)
        act(as_lead, upload, "name", pattern="{prompt}/{generator}/{number}")
        work()
        assert set(upload.files.values_list("generator", "prompt")) == {("a", "p"), ("a", "q")}


class TestStoring:
    def test_the_good_rest_goes_in_and_the_others_wait(self, study: Study, as_lead: Client) -> None:
        files = pictures("p/a/1.png", "p/a/2.png", "p/b/3.png", "lost_4.png")
        upload = read(as_lead, bring(study.project, files))
        key = str(uuid4())
        for _ in range(2):
            assert act(as_lead, upload, "store", request_key=key)["Location"] == page_of(upload)
        assert progress(as_lead, upload).status_code == 200
        work()
        assert progress(as_lead, upload)["HX-Refresh"] == "true"
        page = as_lead.get(page_of(upload))
        assert numbers(page, "ready") == ["0"]
        assert numbers(page, "stored-already") == ["3"]
        assert study.project.images.filter(generator="p").count() == 3
        act(as_lead, upload, "name", pattern="{prompt}_{number}", generator="p")
        work()
        act(as_lead, upload, "store")
        work()
        assert numbers(as_lead.get(page_of(upload)), "drawing") == ["4"]
        assert "Display copies: 0 of 4" in progress(as_lead, upload, "drawing").content.decode()
        study.project.images.update(display_state="ready")
        assert progress(as_lead, upload, "drawing")["HX-Refresh"] == "true"
        assert numbers(as_lead.get(page_of(upload)), "stored") == ["4"]

    def test_what_cannot_be_done_now_is_said(self, study: Study, as_lead: Client) -> None:
        upload = bring(study.project, pictures("a_1.png"))
        answer = act(as_lead, upload, "store")
        assert (answer.status_code, "status" in codes(answer)) == (409, True)
        act(as_lead, upload, "read")
        busy = act(as_lead, upload, "name", pattern="{number}")
        assert (busy.status_code, "busy" in codes(busy)) == (409, True)

    def test_a_worker_that_is_stopped_leaves_the_upload_open(self, study: Study, as_lead: Client) -> None:
        upload = bring(study.project, pictures("a_1.png"))
        act(as_lead, upload, "read")
        assert NO_WORKER in progress(as_lead, upload).content.decode()
        act(as_lead, upload, "stop")
        page = as_lead.get(page_of(upload))
        assert "stopped" in codes(page)
        assert numbers(page, "read-more") == ["1"]
        read(as_lead, upload)

    def test_an_upload_of_another_project_is_not_there(self, study: Study, as_lead: Client) -> None:
        other = make_project("other")
        stranger = bring(other, pictures("a_1.png"))
        for part in ("", "progress/"):
            assert as_lead.get(page_of(stranger, part)).status_code == 404
        make_member(other, LEAD, user=study.lead.user, code="lee")
        assert as_lead.get(page_of(stranger)).status_code == 200
        assert as_lead.get(f"{UPLOADS}{stranger.public_id}/").status_code == 404
