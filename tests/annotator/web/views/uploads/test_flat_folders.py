"""Flat folders, images that are too large, thumbnails and limits on the page of an upload."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.annotator.web.views.conftest import Study
from tests.annotator.web.views.uploads.test_uploads import act, brought, in_a_zip, named, page_of, read, work
from tests.support.codes import codes, numbers


@pytest.fixture(autouse=True)
def places(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.UPLOAD_DIR = tmp_path / "receiving"
    settings.UPLOAD_RESERVE_BYTES = 0


class TestFlatFolders:
    """Names that say nothing, and images that are too large."""

    def test_one_generator_for_all_is_offered_at_once(self, study: Study, as_lead: Client) -> None:
        upload = read(as_lead, brought(study.project, *named("IMG_0001.png", "IMG_0002.png")))
        page = as_lead.get(page_of(upload))
        assert "one-generator-offer" in codes(page)
        empty = act(as_lead, upload, "one-generator", all_generator=" ", all_prompt="a hand")
        assert (empty.status_code, "no-generator" in codes(empty)) == (409, True)
        assert b'value="a hand"' in empty.content
        turned = act(as_lead, upload, "one-generator", all_generator="?" * 3)
        assert (turned.status_code, "no-letter" in codes(turned)) == (409, True)
        assert act(as_lead, upload, "one-generator", all_generator="sdxl").status_code == 302
        rows = {file.name: (file.generator, file.prompt, file.state) for file in upload.files.all()}
        assert rows["IMG_0001.png"] == ("sdxl", "IMG", "ready")
        act(as_lead, upload, "one-generator", all_generator="sdxl", all_prompt="a hand")
        assert {file.prompt for file in upload.files.all()} == {"a hand"}
        assert [file.number for file in upload.files.order_by("name")] == [1, 2]
        assert "Generator set to sdxl for 2 files." in as_lead.get(page_of(upload)).content.decode()
        assert "one-generator-offer" not in codes(as_lead.get(page_of(upload)))

    def test_of_more_files_than_an_edit_takes_it_is_a_default(
        self, study: Study, as_lead: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("annotator.web.views.uploads.upload_actions.MOST_AT_ONCE", 1)
        upload = read(as_lead, brought(study.project, *named("IMG_0001.png", "IMG_0002.png")))
        assert act(as_lead, upload, "one-generator", all_generator="sdxl").status_code == 302
        work()
        assert {(file.generator, file.state) for file in upload.files.all()} == {("sdxl", "ready")}

    def test_where_names_say_it_nothing_is_offered(self, study: Study, as_lead: Client) -> None:
        upload = read(as_lead, brought(study.project, in_a_zip("p/a_hand/1.png", "p/lost.png")))
        assert "one-generator-offer" not in codes(as_lead.get(page_of(upload)))

    def test_large_images_are_scaled_down_on_request(
        self, study: Study, as_lead: Client, settings: Settings
    ) -> None:
        settings.MAX_IMAGE_PIXELS = 40
        upload = read(as_lead, brought(study.project, in_a_zip("p/a_hand/1.png", "p/a_hand/2.png")))
        page = as_lead.get(page_of(upload))
        assert numbers(page, "large")[0] == "2"
        assert "too large" in as_lead.get(page_of(upload), {"state": "large"}).content.decode().lower()
        assert act(as_lead, upload, "scale").status_code == 302
        work()
        page = as_lead.get(page_of(upload))
        assert "large" not in codes(page)
        assert {file.width for file in upload.files.filter(archive__isnull=False)} == {6}
        assert b"scaled from 8" in page.content
        act(as_lead, upload, "store")
        work()
        image = study.project.images.get(number=1, generator="p")
        assert "scaled" in codes(as_lead.get(f"/projects/pilot/images/{image.public_id}/"))

    def test_thumbnails_are_for_the_lead(self, study: Study, as_lead: Client, as_ada: Client) -> None:
        upload = read(as_lead, brought(study.project, in_a_zip("p/a_hand/1.png")))
        file = upload.files.get(archive__isnull=False)
        address = f"/uploads/files/{file.public_id}/thumbnail/"
        assert f'src="{address}"' in as_lead.get(page_of(upload)).content.decode()
        answer = as_lead.get(address)
        assert (answer.status_code, answer["Content-Type"]) == (200, "image/webp")
        assert answer.content[8:12] == b"WEBP"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert as_ada.get(address).status_code == 404
        archive = upload.files.get(archive=None)
        assert as_lead.get(f"/uploads/files/{archive.public_id}/thumbnail/").status_code == 404

    def test_the_limits_stand_on_the_drop_area(
        self, study: Study, as_lead: Client, settings: Settings
    ) -> None:
        settings.MAX_IMAGE_PIXELS = 18_000_000
        assert numbers(as_lead.get("/projects/pilot/uploads/"), "limits") == ["18", "64"]
