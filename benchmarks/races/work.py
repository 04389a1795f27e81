"""Races of workers with people who request work, cancel it and upload files."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from analysis.models import Report
from analysis.reports.lifecycle import cancel_report, queue_report, run_report
from annotator.exchange.import_jobs import request_reading
from annotator.models import Annotation, Event, Image, Job, Membership, Project, Upload, UploadedFile
from annotator.records.project_deletion import delete_project
from annotator.uploads.receiving import begin_upload
from annotator.uploads.upload_jobs import request_storing
from annotator.work import kinds
from annotator.work.jobs import cancel_job, request_job, run_job
from annotator.work.leases import Steps
from benchmarks.races.rounds import Round
from benchmarks.races.worlds import account, tabs
from tests.annotator.exchange.conftest import picture, sheet_row, sheet_text
from tests.annotator.uploads.bringing import bring, path_of, read
from tests.factories import LEAD, make_image, make_member, make_project

FOUR = 4
ROWS = 6


def claims(round_: Round) -> None:
    """Four workers claim one job, whose lease has expired in every other round."""
    with _counting() as done:
        job = request_job(project=make_project(), kind=COUNTING, data={}, actor=None, send=False)
        if round_.number % 2:
            over = timezone.now() - timedelta(seconds=1)
            Job.objects.filter(pk=job.pk).update(status="running", attempts=1, lease_until=over)
        ended = round_.race(*[partial(run_job, job.pk)] * FOUR)
    round_.holds("one worker does it", sorted(ended) == [False, False, False, True])
    job.refresh_from_db()
    round_.holds(
        "it is done once", (done, job.status, job.attempts) == ([job.pk], "done", 1 + round_.number % 2)
    )


def cancel_and_finish(round_: Round) -> None:
    """A worker finishes a job while a lead cancels it."""
    with _counting():
        job = request_job(project=make_project(), kind=COUNTING, data={}, actor=None, send=False)
        ended, cancelled = round_.race(partial(run_job, job.pk), partial(cancel_job, job=job, actor=None))
    job.refresh_from_db()
    round_.holds("one of the two", (ended, cancelled) in ((True, False), (False, True)))
    round_.holds("as it says", job.status == ("done" if ended else "cancelled"))
    round_.holds("a result where it is done", (job.result is not None) == ended)
    told = Event.objects.filter(project=job.project_id, verb="job_cancelled").count()
    round_.holds("an Event where it was cancelled", told == cancelled)


def one_report(round_: Round) -> None:
    """A lead requests a new report eight times."""
    lead = make_member(make_project(), LEAD)
    address = reverse("report_refresh", args=[lead.project.slug, "agreement"])
    answers = round_.race(*(partial(tab.post, address) for tab in tabs(lead, 8)))
    round_.holds("each is answered", {each.status_code for each in answers} == {302})
    round_.holds("one report waits", Report.objects.filter(project=lead.project).count() == 1)


def report_cancelled(round_: Round) -> None:
    """Two workers claim a report while its lead cancels it."""
    report = queue_report(project_id=make_project().pk, kind="agreement", send=False)
    first, second, cancelled = round_.race(
        partial(run_report, report.pk), partial(run_report, report.pk), partial(cancel_report, report)
    )
    report.refresh_from_db()
    round_.holds("one of the three ends it", sorted([first, second, cancelled]) == [False, False, True])
    round_.holds("as it says", (report.status == "cancelled") == cancelled)
    round_.holds("no numbers of what was cancelled", not (cancelled and report.result))


def one_export(round_: Round) -> None:
    """Send a form that requests a file four times."""
    lead = make_member(make_project(), LEAD)
    sent = {"layout": "scores", "format": "xlsx", "request_key": str(uuid4())}
    address = reverse("exports", args=[lead.project.slug])
    answers = round_.race(*(partial(tab.post, address, sent) for tab in tabs(lead, FOUR)))
    round_.holds("all are led to one job", len({each.headers.get("Location") for each in answers}) == 1)
    round_.holds("there is one job", Job.objects.filter(project=lead.project).count() == 1)


def two_confirmations(round_: Round) -> None:
    """Confirm an import four times, twice with one idempotency key; all jobs run at the same time."""
    lead, reading = _read_answers()
    address = reverse("rows_reading", args=[lead.project.slug, "answers", reading.pk])
    keys = [str(uuid4()), str(uuid4())] * 2
    answers = round_.race(
        *(
            partial(tab.post, address, {"request_key": key})
            for key, tab in zip(keys, tabs(lead, FOUR), strict=True)
        )
    )
    round_.holds("each key is one job", len({each.headers.get("Location") for each in answers}) == 2)
    jobs = Job.objects.filter(project=lead.project, kind="store_answers")
    round_.race(*(partial(run_job, pk) for pk in jobs.values_list("pk", flat=True)))
    stored = Annotation.objects.filter(assignment__batch__project=lead.project)
    round_.holds("every row is stored once", stored.count() == ROWS)
    round_.holds("both jobs end well", set(jobs.values_list("status", flat=True)) == {"done"})
    words = [one.result["words"] for one in jobs if one.result]
    round_.holds("one says that it added them", sum(f"{ROWS} added" in each for each in words) == 1)


def import_and_deletion(round_: Round) -> None:
    """A worker stores an import while a lead deletes the project."""
    lead, reading = _read_answers()
    project = lead.project
    data = {**reading.data, "reading": reading.pk}
    job = request_job(project=project, kind="store_answers", data=data, actor=None, send=False)

    def delete() -> Project:
        # An import reads its file first, so a deletion that begins with it would always be ahead.
        time.sleep(round_.number % 10 * 0.01)
        return delete_project(project=project, typed=project.name, reason="Over.", actor=account(lead))

    ended, deleted = round_.race(partial(run_job, job.pk), delete)
    round_.holds("the project is being deleted", isinstance(deleted, Project) and deleted.goes_at is not None)
    job.refresh_from_db()
    stored = Annotation.objects.filter(assignment__batch__project=project).count()
    round_.kinds.append(f"{stored} rows stored")
    round_.holds("all of it or nothing", stored in (0, ROWS))
    round_.holds("a job that is done has stored it", not (job.status == "done" and stored != ROWS))
    round_.holds("the job has ended", job.status in ("done", "cancelled", "failed"))
    told = Event.objects.get(project=project, verb="project_deleted")
    brought = Event.objects.filter(project=project, verb="imported")
    before = [each.pk < told.pk for each in brought]
    round_.holds("what is stored was stored before", before == [True] * stored)
    round_.holds("the Event says what goes", told.data["submitted"] == stored)
    round_.holds("the worker says how it ended", isinstance(ended, bool))


def file_resent(round_: Round) -> None:
    """Four tabs send the same file."""
    lead = make_member(make_project(), LEAD)
    upload = begin_upload(project=lead.project, actor=lead.user)
    data = bytes(range(256)) * 256
    address = reverse("upload_files", args=[upload.public_id])
    sent = [
        {"name": "1.png", "size": len(data), "file": SimpleUploadedFile("file", data)} for _ in range(FOUR)
    ]
    answers = round_.race(*map(partial, [tab.post for tab in tabs(lead, FOUR)], [address] * FOUR, sent))
    round_.holds("all are told that it is there", [each.status_code for each in answers] == [200] * FOUR)
    file = UploadedFile.objects.select_related("upload").get(upload=upload)
    round_.holds("the bytes are the file's", path_of(file).read_bytes() == data)
    round_.holds("it is complete", file.state == "received")


def upload_ended_twice(round_: Round) -> None:
    """Two tabs complete an upload, one of them twice."""
    lead = make_member(make_project(), LEAD)
    upload = begin_upload(project=lead.project, actor=lead.user)
    bring(lead.project, {"1.png": b"png"}, upload)
    address = reverse("upload", args=[lead.project.slug, upload.public_id])
    keys = [str(uuid4()), str(uuid4())]
    sent = [{"action": "read", "request_key": key} for key in (keys[0], keys[0], keys[1])]
    round_.race(*(partial(tab.post, address, each) for tab, each in zip(tabs(lead, 3), sent, strict=True)))
    jobs = Job.objects.filter(project=lead.project)
    round_.holds("one job reads it", jobs.count() == 1)
    upload.refresh_from_db()
    round_.holds("the upload has that job", (upload.status, upload.job_id) == ("reading", jobs.get().pk))


def stored_and_discarded(round_: Round) -> None:
    """One tab stores a checked upload while another discards it; two workers run the jobs."""
    project = make_project()
    lead = make_member(project, LEAD)
    upload = _read_upload(project, round_.number)
    address = reverse("upload", args=[project.slug, upload.public_id])
    store, discard = tabs(lead, 2)
    round_.race(
        partial(store.post, address, {"action": "store", "request_key": str(uuid4())}),
        partial(discard.post, address, {"action": "discard", "request_key": str(uuid4())}),
    )
    jobs = Job.objects.filter(project=project, kind="store_upload")
    for job in jobs:
        round_.race(partial(run_job, job.pk), partial(run_job, job.pk))
    upload = Upload.objects.get(pk=upload.pk)
    discarded = upload.status == "discarded"
    round_.holds("stored or discarded", discarded != jobs.exists())
    round_.holds(
        "every picture once, or none", Image.objects.filter(project=project).count() == 2 * (not discarded)
    )


def stored_by_two(round_: Round) -> None:
    """Two workers store two uploads of the same images."""
    project = make_project()
    made = [_read_upload(project, round_.number) for _ in range(2)]
    jobs = [request_storing(upload=upload, actor=None, send=False) for upload in made]
    round_.race(*(partial(run_job, job.pk) for job in jobs))
    images = Image.objects.filter(project=project)
    round_.holds(
        "every picture once", images.count() == len(set(images.values_list("sha256", flat=True))) == 2
    )
    round_.holds("both jobs end well", {Job.objects.get(pk=job.pk).status for job in jobs} == {"done"})


COUNTING = "race_counting"


@contextmanager
def _counting() -> Iterator[list[int]]:
    """Register a kind of job that records its runs; yield the record."""
    done: list[int] = []
    lock = threading.Lock()

    def run(job: Job, steps: Steps) -> Mapping[str, Any]:
        with lock:
            done.append(job.pk)
        steps(1, 1)
        return {"words": "Counted."}

    kinds.runs(COUNTING, title="Counting")(run)
    try:
        yield done
    finally:
        kinds._KINDS.pop(COUNTING, None)


def _read_answers() -> tuple[Membership, Job]:
    """A lead, and a checked file of annotations that waits for confirmation."""
    project = make_project()
    for number in (1, 2, 3):
        make_image(project, generator="sdxl", prompt="hug", number=number)
    rows = [sheet_row(f"sdxl_hug_0{number}", person) for number in (1, 2, 3) for person in ("anno1", "anno2")]
    contents = sheet_text(rows).encode()
    reading = request_reading(project=project, name="sheet.csv", contents=contents, actor=None)
    run_job(reading.pk)
    reading.refresh_from_db()
    return make_member(project, LEAD), reading


def _read_upload(project: Project, number: int) -> Upload:
    files = {f"g/p/{each}.png": picture(1_000 * number + each, size=(64, 64)) for each in (1, 2)}
    upload = bring(project, files)
    read(upload)
    assert upload.files.filter(state="ready").count() == 2, "nothing to store, so no race"
    return upload
