"""The pages of uploads: what they take, what they say, and that they do not grow."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from annotator.models import Event, Job, Project, Upload, UploadedFile
from annotator.uploads.receiving import begin_upload, receive_form
from annotator.web.views.uploads.upload_page import NO_WORKER
from annotator.web.views.uploads.upload_rows import NamesRead
from annotator.work.jobs import run_job
from tests.annotator.web.views.conftest import Study, signed_in
from tests.factories import LEAD, make_member, make_project, png_bytes
from tests.support.codes import codes, numbers, said

UPLOADS = "/projects/pilot/uploads/"
COLORS = ("red", "green", "blue", "black", "white")


@pytest.fixture(autouse=True)
def places(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.UPLOAD_DIR = tmp_path / "receiving"
    settings.UPLOAD_RESERVE_BYTES = 0


def named(*names: str) -> list[SimpleUploadedFile]:
    return [SimpleUploadedFile(name, png_bytes(color=COLORS[place])) for place, name in enumerate(names)]


def in_a_zip(*names: str) -> SimpleUploadedFile:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for place, name in enumerate(names):
            archive.writestr(name, png_bytes(color=COLORS[place]))
    return SimpleUploadedFile("images.zip", buffer.getvalue())


def brought(project: Project, *files: SimpleUploadedFile) -> Upload:
    upload = begin_upload(project=project, actor=None)
    receive_form(upload=upload, files=files)
    return upload


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


def act(client: Client, upload: Upload, action: str, query: str = "", **fields: Any) -> Any:
    sent = {"action": action, "request_key": str(uuid4()), **fields}
    return client.post(page_of(upload) + query, sent)


def post_json(client: Client, address: str, body: Any) -> Any:
    return client.post(address, json.dumps(body), content_type="application/json")


class TestBeginning:
    def test_a_script_is_told_where_files_go(self, study: Study, as_lead: Client) -> None:
        key = str(uuid4())
        told = [post_json(as_lead, UPLOADS, {"request_key": key}).json() for _ in range(2)]
        upload = Upload.objects.get()
        assert told[0] == told[1]
        assert told[0] == {
            "page": page_of(upload),
            "files": f"/uploads/{upload.public_id}/files/",
            "known": page_of(upload, "known/"),
        }
        assert Event.objects.filter(verb="upload_begun").count() == 1

    def test_a_form_brings_files_at_once(self, study: Study, as_lead: Client) -> None:
        sent = {"request_key": str(uuid4()), "files": named("a_1.png", "a_2.png")}
        answer = as_lead.post(UPLOADS, sent)
        upload = Upload.objects.get()
        assert answer["Location"] == page_of(upload)
        assert sorted(upload.files.values_list("name", "state")) == [
            ("a_1.png", "received"),
            ("a_2.png", "received"),
        ]
        assert numbers(as_lead.get(page_of(upload)), "here")[0] == "2"

    @pytest.mark.parametrize(("fields", "status"), [({}, 400), ({"request_key": str(uuid4())}, 422)])
    def test_an_empty_form_begins_nothing(
        self, study: Study, as_lead: Client, fields: dict[str, str], status: int
    ) -> None:
        assert as_lead.post(UPLOADS, fields).status_code == status
        assert not Upload.objects.exists()

    def test_others_begin_nothing(self, study: Study, as_ada: Client, client: Client) -> None:
        body = {"request_key": str(uuid4())}
        assert post_json(as_ada, UPLOADS, body).status_code == 404
        assert post_json(client, UPLOADS, body).status_code == 401
        assert client.get(UPLOADS).status_code == 302
        assert not Upload.objects.exists()


class TestKnown:
    def test_what_is_there_a_part_and_nothing(self, study: Study, as_lead: Client) -> None:
        [file] = named("a_1.png")
        upload = brought(study.project, file)
        size = len(png_bytes(color="red"))
        part = UploadedFile.objects.create(upload=upload, name="b.png", size=9)
        asked = [["a_1.png", size], ["a_1.png", size + 1], ["b.png", 9], ["c.png", 1], ["a\0", 1]]
        answer = post_json(as_lead, page_of(upload, "known/"), {"files": asked})
        assert answer.json() == {"places": [True, None, f"/uploads/files/{part.public_id}/", None, None]}

    @pytest.mark.parametrize("files", ["a", [["a"]], [["a", "1"]], [[1, 1]], [["a", True]], [["a", 1]] * 201])
    def test_other_questions_are_refused(self, study: Study, as_lead: Client, files: Any) -> None:
        upload = brought(study.project)
        assert post_json(as_lead, page_of(upload, "known/"), {"files": files}).status_code == 400

    @pytest.mark.parametrize("count", [1, 3])
    def test_queries_do_not_grow(
        self, study: Study, as_lead: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        upload = brought(study.project, *named("a.png", "b.png", "c.png")[:count])
        with django_assert_num_queries(4):
            post_json(as_lead, page_of(upload, "known/"), {"files": [["a.png", 1], ["b.png", 1]]})


class TestUnderstood:
    def test_every_file_is_listed_with_its_reason(self, study: Study, as_lead: Client) -> None:
        names = ("p/a_hand/1.png", "p/a_hand/2.png", "p/lost.png")
        broken = SimpleUploadedFile("broken.png", b"none")
        upload = read(as_lead, brought(study.project, in_a_zip(*names), broken))
        page = as_lead.get(page_of(upload))
        assert [(tab.value, tab.count) for tab in page.context["tabs"]] == [
            ("", 4),
            ("ready", 2),
            ("unclear", 1),
            ("refused", 1),
        ]
        assert page.context["read"] == NamesRead(["p"], 1, more=False)
        rows = {
            row.file.name: (row.generator, row.prompt, row.number, row.state) for row in page.context["rows"]
        }
        assert rows["p/a_hand/2.png"] == ("p", "a hand", 2, "ready")
        assert rows["p/lost.png"][3] == "unclear"
        assert "in images.zip" in page.content.decode()
        unclear = as_lead.get(page_of(upload), {"state": "unclear"})
        assert [row.file.name for row in unclear.context["rows"]] == ["p/lost.png"]
        assert len(as_lead.get(page_of(upload), {"state": "'", "page": "9"}).context["rows"]) == 4

    def test_a_row_is_changed(self, study: Study, as_lead: Client) -> None:
        upload = read(as_lead, brought(study.project, in_a_zip("p/a/1.png", "p/a/2.png")))
        file = upload.files.get(name="p/a/2.png")
        fields = {"generator": "q", "prompt": "a", "prompt_group": "pair", "number": "7", "scope": "file"}
        answer = act(as_lead, upload, "edit", "?state=ready&edit=x", file=str(file.public_id), **fields)
        assert answer["Location"] == f"{page_of(upload)}?state=ready&done={file.public_id}"
        file.refresh_from_db()
        assert (file.generator, file.prompt_group, file.number, file.state) == ("q", "pair", 7, "ready")

    def test_of_a_folder_only_what_was_changed_is_changed(self, study: Study, as_lead: Client) -> None:
        names = ("x/p/a/1.png", "x/p/a/2.png", "x/p/b/1.png", "x/r/a/1.png")
        upload = read(as_lead, brought(study.project, in_a_zip(*names)))
        file = upload.files.get(name=names[0])
        fields = {"generator": "P 2", "prompt": "a", "prompt_group": "", "number": "9", "scope": "/x/p"}
        act(as_lead, upload, "edit", file=str(file.public_id), **fields)
        rows = (
            upload.files.filter(state="ready").order_by("name").values_list("generator", "prompt", "number")
        )
        assert list(rows) == [("P 2", "a", 1), ("P 2", "a", 2), ("P 2", "b", 1), ("r", "a", 1)]

    @pytest.mark.parametrize(
        ("fields", "code"),
        [
            ({"number": "x"}, "invalid"),
            ({"number": "-1"}, "min_value"),
            ({"generator": "x" * 121}, "max_length"),
            ({"prompt": "!"}, "no-letter"),
            ({"scope": "/etc"}, "invalid_choice"),
        ],
    )
    @pytest.mark.few(2)
    def test_what_does_not_fit_is_said_in_the_row(
        self, study: Study, as_lead: Client, fields: dict[str, str], code: str
    ) -> None:
        upload = read(as_lead, brought(study.project, in_a_zip("p/a/1.png")))
        file = upload.files.get(name="p/a/1.png")
        sent = {"generator": "p", "prompt": "a", "prompt_group": "", "number": "1", "scope": "file", **fields}
        answer = act(as_lead, upload, "edit", file=str(file.public_id), **sent)
        assert (answer.status_code, code in codes(answer)) == (422, True)
        assert not Event.objects.filter(verb="upload_edited").exists()

    def test_a_pattern_is_tried_and_set(self, study: Study, as_lead: Client) -> None:
        upload = read(as_lead, brought(study.project, in_a_zip("p/a/1.png", "q/a/x.png")))
        tried = as_lead.get(page_of(upload, "names/"), {"pattern": "{prompt}/{generator}/{number}"})
        assert (tried.context["read"], tried.context["looked_at"]) == (1, 2)
        assert numbers(tried, "reads") == ["1", "2"]
        bad = as_lead.get(page_of(upload, "names/"), {"pattern": "{nothing}"})
        assert "{nothing}" in said(bad, "no-field")
        refused = act(as_lead, upload, "pattern", pattern="{a")
        assert (refused.status_code, "brace" in codes(refused)) == (422, True)
        act(as_lead, upload, "pattern", pattern="{prompt}/{generator}/{*}", default_prompt_group="pair")
        work()
        rows = upload.files.filter(state="ready").values_list("generator", "prompt", "prompt_group")
        assert sorted(rows) == [("a", "p", "pair"), ("a", "q", "pair")]

    @pytest.mark.parametrize("sent", [{}, {"action": "other"}, {"action": "edit"}, {"action": "store"}])
    @pytest.mark.few(2)
    def test_forms_of_no_page_change_nothing(
        self, study: Study, as_lead: Client, sent: dict[str, str]
    ) -> None:
        upload = read(as_lead, brought(study.project, in_a_zip("p/a/1.png")))
        assert as_lead.post(page_of(upload), sent).status_code == 400
        assert act(as_lead, upload, "edit", file=str(uuid4())).status_code == 404

    @pytest.mark.parametrize("count", [1, 3])
    def test_queries_do_not_grow(
        self, study: Study, as_lead: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        names = ("p/a/1.png", "p/b/2.png", "q/c/3.png")[:count]
        upload = read(as_lead, brought(study.project, in_a_zip(*names)))
        with django_assert_num_queries(11):
            as_lead.get(page_of(upload))
        with django_assert_num_queries(8):
            as_lead.get(page_of(upload, "names/"), {"pattern": "{prompt}/{generator}/{number}"})
        act(as_lead, upload, "store")
        work()
        # annotators and invitations, because people are the next step
        with django_assert_num_queries(12):
            as_lead.get(page_of(upload))
        with django_assert_num_queries(4):
            as_lead.get(page_of(upload, "status/"))
        for _ in range(count - 1):
            brought(study.project, *named("a.png"))
        with django_assert_num_queries(7):
            as_lead.get(UPLOADS)


class TestStoring:
    def test_the_good_rest_goes_in_and_the_others_wait(self, study: Study, as_lead: Client) -> None:
        upload = read(as_lead, brought(study.project, in_a_zip("p/a/1.png", "p/a/2.png", "lost.png")))
        key = str(uuid4())
        for _ in range(2):
            assert act(as_lead, upload, "store", request_key=key)["Location"] == page_of(upload)
        assert as_lead.get(page_of(upload, "status/")).json()["step"] == "working"
        work()
        page = as_lead.get(page_of(upload))
        assert numbers(page, "ready") == ["0"]
        assert numbers(page, "stored-already") == ["2"]
        assert study.project.images.filter(generator="p").count() == 2
        file = upload.files.get(name="lost.png")
        act(
            as_lead,
            upload,
            "edit",
            file=str(file.public_id),
            generator="p",
            prompt="a",
            number="3",
            scope="file",
        )
        act(as_lead, upload, "store")
        work()
        page = as_lead.get(page_of(upload))
        assert numbers(page, "stored") == ["3"]
        status = as_lead.get(page_of(upload, "status/")).json()
        assert (status["step"], status["words"]) == ("drawing", "Display copies: 0 of 3")
        assert (status["done"], status["images"]) == (0, 3)
        study.project.images.update(display_state="ready")
        assert as_lead.get(page_of(upload, "status/")).json()["step"] == "stored"

    def test_what_cannot_be_done_now_is_said(self, study: Study, as_lead: Client) -> None:
        upload = brought(study.project, *named("a_1.png"))
        answer = act(as_lead, upload, "store")
        assert (answer.status_code, codes(answer)[:1]) == (409, ["status"])
        act(as_lead, upload, "read")
        busy = act(as_lead, upload, "pattern", pattern="{number}")
        assert (busy.status_code, codes(busy)[:1]) == (409, ["busy"])

    def test_a_worker_that_is_stopped_leaves_the_upload_open(self, study: Study, as_lead: Client) -> None:
        upload = brought(study.project, *named("a_1.png"))
        act(as_lead, upload, "read")
        assert as_lead.get(page_of(upload, "status/")).json()["warning"] == NO_WORKER
        act(as_lead, upload, "stop")
        page = as_lead.get(page_of(upload))
        assert "stopped" in codes(page)
        assert numbers(page, "read-more") == ["1"]
        read(as_lead, upload)

    def test_a_running_job_tells_how_many_images_it_has_done(self, study: Study, as_lead: Client) -> None:
        upload = brought(study.project, *named("a_1.png"))
        act(as_lead, upload, "read")
        jobs = Job.objects.filter(kind="read_upload")
        for progress, attempts, done, images in (
            (2, 1, 0, 0),
            (5, 1, 0, 400),
            (35, 2, 160, 400),
            (80, 1, 0, 0),
        ):
            data = {"upload": upload.pk, "images": 400}
            jobs.update(status="running", progress=progress, attempts=attempts, data=data)
            status = as_lead.get(page_of(upload, "status/")).json()
            assert (status["done"], status["images"]) == (done, images)
            assert bool(status["warning"]) == (attempts > 1)
        Upload.objects.filter(pk=upload.pk).update(status="storing")
        jobs.update(progress=50)
        status = as_lead.get(page_of(upload, "status/")).json()
        assert (status["done"], status["images"]) == (200, 400)

    def test_an_upload_is_discarded(self, study: Study, as_lead: Client) -> None:
        upload = read(as_lead, brought(study.project, *named("a_1.png")))
        assert act(as_lead, upload, "discard")["Location"] == UPLOADS
        assert codes(as_lead.get(page_of(upload))) == ["discarded"]
        assert list(as_lead.get(UPLOADS).context["rows"]) == []

    def test_an_upload_of_another_project_is_not_there(self, study: Study, as_lead: Client) -> None:
        other = make_project("other")
        stranger = brought(other, *named("a_1.png"))
        for part in ("", "names/", "status/"):
            assert as_lead.get(page_of(stranger, part)).status_code == 404
        make_member(other, LEAD, user=study.lead.user, code="lee")
        assert as_lead.get(page_of(stranger)).status_code == 200
        assert as_lead.get(f"{UPLOADS}{stranger.public_id}/").status_code == 404


def test_an_annotator_finds_no_upload(study: Study, as_ada: Client) -> None:
    upload = brought(study.project, *named("a_1.png"))
    for part in ("", "names/", "status/"):
        assert as_ada.get(page_of(upload, part)).status_code == 404
    assert act(as_ada, upload, "discard").status_code == 404
    assert signed_in(study.lead).get(page_of(upload)).status_code == 200
