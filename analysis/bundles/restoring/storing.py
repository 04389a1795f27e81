"""Store the rows of a bundle in its staging, one chunk per transaction.

Rows are stored in line order, so the number of rows is the number of completed lines, which a worker that
resumes skips.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable
from functools import cached_property, partial
from itertools import islice
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from analysis.bundles.contents import ADJUDICATIONS, ANNOUNCEMENTS, QUESTIONS, REPLIES
from analysis.bundles.guidelines import GUIDELINES
from analysis.bundles.restoring import guidelines
from analysis.bundles.restoring.archive import BundleRefused, Opened
from analysis.bundles.restoring.manifest import Manifest
from analysis.bundles.restoring.rules import (
    ADJUDICATION_RULES,
    ANNOTATION_RULES,
    ANNOUNCEMENT_RULES,
    ASSIGNMENT_RULES,
    IMAGE_RULES,
    QUESTION_RULES,
    REPLY_RULES,
    Rule,
    checked,
    require_adjudicated,
    require_annotation,
    shown,
    whole,
)
from analysis.bundles.restoring.staging import Staging
from analysis.bundles.rows import GUIDELINE, LEFT_OUT_OF_ASSIGNMENTS, SEEN_FIELDS
from analysis.data.datasets import input_digests
from analysis.data.versions import code_version
from analysis.models import Report
from analysis.reports.image_references import with_images
from analysis.sections import page_of_report
from annotator.annotations.summaries import summarise_project
from annotator.annotations.unreadable import loses_terms
from annotator.images.decoding import SUFFIXES
from annotator.models import (
    Adjudication,
    Annotation,
    Announcement,
    Assignment,
    Batch,
    GuidelineVersion,
    Image,
    Plan,
    Project,
    Question,
    Reply,
)
from annotator.models.counting import mark_random

CHUNK: Final = 500
LARGEST_PLAN: Final = 128 * 1024 * 1024
NOT_IN_THE_BUNDLE: Final = "the image file was not in the restored bundle"
NOT_STORED_YET: Final = "the image is being restored"

Placed = tuple[str, dict[str, Any]]


class Rows:
    """The rows of one bundle; `stored` is how many are in the staging."""

    def __init__(self, bundle: Opened, manifest: Manifest, staging: Staging, project: Project) -> None:
        self._bundle = bundle
        self._manifest = manifest
        self._staging = staging
        self._made = staging.project
        # The folder of the image files after the transfer.
        self._folder = f"originals/{project.pk}"
        self._batches = list(self._made.batches.order_by("pk"))
        self._people = _ids(self._made.memberships.all())
        self.images = _ids(self._made.images.all())
        self._assignments = _ids(Assignment.objects.filter(batch__project=self._made))
        self.annotations = _ids(Annotation.objects.filter(assignment__batch__project=self._made))
        self._guidelines = _ids(GuidelineVersion.objects.filter(guideline__project=self._made))
        self._adjudications = _ids(Adjudication.objects.filter(image__project=self._made))
        self._questions = _ids(Question.objects.filter(project=self._made))
        self._replies = _ids(Reply.objects.filter(question__project=self._made))
        self._announcements = _ids(Announcement.objects.filter(batch__project=self._made))

    @property
    def stored(self) -> int:
        """Return the number of stored rows."""
        messages = (self._questions, self._replies, self._announcements)
        held = (self.images, self._assignments, self.annotations, self._adjudications, *messages)
        return sum(map(len, held))

    def store_images(self, pause: Callable[[], None]) -> None:
        """Store the image rows without files, calling `pause` after each chunk.

        This and `store_answers` raise BundleRefused naming the invalid line, and JobCancelled.
        """
        self._store("restore/images.jsonl", self.images, self._image, pause)

    def store_answers(self, pause: Callable[[], None]) -> None:
        """Store the assignments, annotations and adjudications."""
        self._store("restore/assignments.jsonl", self._assignments, self._assignment, pause)
        self._store("restore/annotations.jsonl", self.annotations, self._annotation, pause)
        if not self._manifest.seen:
            self._forget_seen()
        for batch in self._batches:
            with self._staging.writing():
                mark_random(batch)
        if self._bundle.has(ADJUDICATIONS):
            self._store(ADJUDICATIONS, self._adjudications, self._adjudication, pause)
        if self._bundle.has(GUIDELINES):
            self._store(GUIDELINES, self._guidelines, self._guideline, pause)
        if self._bundle.has(QUESTIONS):
            self._store(QUESTIONS, self._questions, self._question, pause)
            self._store(REPLIES, self._replies, self._reply, pause)
            self._store(ANNOUNCEMENTS, self._announcements, self._announcement, pause)
        summarise_project(self._made, self._staging.writing, pause)

    def _forget_seen(self) -> None:
        """If the bundle does not record what annotators saw, set it to unknown for imported annotations."""
        imported = self._made.batches.filter(assignments__annotation__source__isnull=False)
        numbers = list(imported.order_by().values_list("pk", flat=True).distinct())
        unknown = dict.fromkeys(SEEN_FIELDS, Batch.Seen.UNKNOWN)
        with self._staging.writing():
            self._made.batches.filter(pk__in=numbers).update(**unknown)

    def store_rest(self) -> None:
        """Check the numbers of rows against project.json; store plans and reports."""
        self._require_counts()
        with self._staging.writing():
            Plan.objects.filter(batch__project=self._made).delete()
            Report.objects.filter(project=self._made).delete()
            guidelines.finish(self._made)
        self._store_plans()
        self._store_reports()

    def _store(
        self, name: str, ids: array[int], made: Callable[[Placed], Any], pause: Callable[[], None]
    ) -> None:
        rows = islice(self._bundle.rows(name), len(ids), None)
        while chunk := list(islice(rows, CHUNK)):
            objects = [made(row) for row in chunk]
            self._create(objects, [where for where, _ in chunk])
            ids.extend(one.pk for one in objects)
            pause()

    def _create(self, objects: list[Any], places: list[str]) -> None:
        """Store rows in one transaction; raise BundleRefused naming the line of an invalid row."""
        model = type(objects[0])
        try:
            with self._staging.writing(), transaction.atomic():
                model._default_manager.bulk_create(objects)
        except IntegrityError:
            for one, where in zip(objects, places, strict=True):
                try:
                    with self._staging.writing(), transaction.atomic():
                        one.pk = None
                        one.save(force_insert=True)
                except IntegrityError as error:
                    # The database's message would quote rows, internal names and other people's ids.
                    raise BundleRefused(f"{where}: the row is a duplicate or contradicts itself.") from error
            raise

    def _image(self, placed: Placed) -> Image:
        where, row = placed
        values = checked({"scaled_from": None, **row}, IMAGE_RULES, where)
        place = values.pop("file")
        name = f"{values['sha256']}.{SUFFIXES[values['format']]}"
        if place is not None and place != f"images/{name}":
            raise BundleRefused(f"{where}: “file” is {shown(place)}; expected images/{name}.")
        return Image(
            project=self._made,
            file=f"{self._folder}/{name[:2]}/{name}",
            # Make no display copy before the transfer.
            display_state=Image.DisplayState.FAILED,
            display_error=NOT_IN_THE_BUNDLE if place is None else NOT_STORED_YET,
            **values,
        )

    def _assignment(self, placed: Placed) -> Assignment:
        where, row = placed
        values = checked(
            {**LEFT_OUT_OF_ASSIGNMENTS, **row},
            {
                "batch": whole(1, len(self._batches)),
                "image": whole(1, len(self.images)),
                "annotator": whole(1, len(self._people)),
                **ASSIGNMENT_RULES,
            },
            where,
        )
        if (values["status"] == Assignment.Status.WITHDRAWN) != (values["position"] is None):
            raise BundleRefused(f"{where}: exactly the withdrawn assignments have no position.")
        return Assignment(
            batch=self._batches[values["batch"] - 1],
            image_id=self.images[values["image"] - 1],
            annotator_id=self._people[values["annotator"] - 1],
            **{name: values[name] for name in ASSIGNMENT_RULES},
        )

    @cached_property
    def _batch_of(self) -> array[int]:
        """Return the position of each assignment's batch, once all are stored."""
        places = {batch.pk: place for place, batch in enumerate(self._batches)}
        rows = Assignment.objects.filter(batch__project=self._made).order_by("pk")
        return array("l", (places[pk] for pk in rows.values_list("batch_id", flat=True).iterator()))

    @cached_property
    def _annotator_of(self) -> array[int]:
        """Return the position of each assignment's annotator, once all are stored."""
        places = {pk: place for place, pk in enumerate(self._people)}
        rows = Assignment.objects.filter(batch__project=self._made).order_by("pk")
        return array("l", (places[pk] for pk in rows.values_list("annotator_id", flat=True).iterator()))

    def _annotation(self, placed: Placed) -> Annotation:
        where, row = placed
        ruled = {"assignment": whole(1, len(self._assignments)), **ANNOTATION_RULES}
        values = checked({GUIDELINE: None, **row}, ruled, where)
        place = values.pop("assignment") - 1
        require_annotation(values, self._batches[self._batch_of[place]], self._made, where)
        unread = loses_terms(values["source"])
        return Annotation(assignment_id=self._assignments[place], has_unread_terms=unread, **values)

    def _adjudication(self, placed: Placed) -> Adjudication:
        where, row = placed
        values = checked(
            row,
            {
                "image": whole(1, len(self.images)),
                "decided_by": whole(1, len(self._people)),
                **ADJUDICATION_RULES,
            },
            where,
        )
        require_adjudicated(values, self._made, where)
        image, decider = values.pop("image"), values.pop("decided_by")
        values["settled_from"] = [
            [_at(self.annotations, line), version] for line, version in values["settled_from"]
        ]
        return Adjudication(
            image_id=self.images[image - 1], decided_by_id=self._people[decider - 1], **values
        )

    def _guideline(self, placed: Placed) -> GuidelineVersion:
        where, row = placed
        with self._staging.writing():
            return guidelines.version_of(row, where, self._made, self.images)

    def _question(self, placed: Placed) -> Question:
        where, row = placed
        values = checked(row, {"assignment": whole(1, len(self._assignments)), **QUESTION_RULES}, where)
        place = values.pop("assignment") - 1
        if (values["kind"] == Question.Kind.FLAG) != bool(values["reason"]):
            raise BundleRefused(f"{where}: exactly the flags have a reason.")
        # Who restores it has read it elsewhere.
        values["read_at"] = values["answered_at"]
        return Question(
            project=self._made,
            assignment_id=self._assignments[place],
            annotator_id=self._people[self._annotator_of[place]],
            **values,
        )

    def _reply(self, placed: Placed) -> Reply:
        where, row = placed
        known = {"question": whole(1, len(self._questions)), **self._author, **REPLY_RULES}
        values = checked(row, known, where)
        question, author = values.pop("question"), values.pop("author")
        return Reply(question_id=self._questions[question - 1], author_id=self._people[author - 1], **values)

    def _announcement(self, placed: Placed) -> Announcement:
        where, row = placed
        known = {"batch": whole(1, len(self._batches)), **self._author, **ANNOUNCEMENT_RULES}
        values = checked(row, known, where)
        batch, author = values.pop("batch"), values.pop("author")
        return Announcement(batch=self._batches[batch - 1], author_id=self._people[author - 1], **values)

    @property
    def _author(self) -> dict[str, Rule]:
        return {"author": whole(1, len(self._people))}

    def _require_counts(self) -> None:
        found = {
            "images": self.images,
            "assignments": self._assignments,
            "annotations": self.annotations,
            "adjudications": self._adjudications,
            "guidelines": self._guidelines,
            "announcements": self._announcements,
            "questions": self._questions,
            "replies": self._replies,
        }
        for name, rows in found.items():
            wanted = self._manifest.counts[name]
            if len(rows) != wanted:
                raise BundleRefused(
                    f"restore/{name}.jsonl has {len(rows):,} rows; project.json says {wanted:,}."
                )

    def _store_plans(self) -> None:
        for row in self._manifest.plans:
            values = dict(row)
            document = zlib.compress(self._bundle.contents(values.pop("file"), LARGEST_PLAN))
            batch, made_at = self._batches[values.pop("batch") - 1], values.pop("created_at")
            with self._staging.writing():
                made = Plan.objects.create(batch=batch, document=document, **values)
                Plan.objects.filter(pk=made.pk).update(created_at=made_at)

    def _store_reports(self) -> None:
        if not self._manifest.reports:
            return
        about = {row["protocol"] for row in self._manifest.reports}
        digests = {slug: input_digests(self._made, slug) for slug in about}
        for row in self._manifest.reports:
            values = dict(row)
            name, current = values.pop("file"), values.pop("current")
            result = self._with_ids(self._bundle.object(name))
            report = Report(project=self._made, status=Report.Status.DONE, kept=True, result=result, **values)
            try:
                page_of_report(report, self._made)
            except Exception as error:
                raise BundleRefused(f"{name}: this is not the result of a report ({error!r}).") from error
            # Mark it as computed here, because the result would be the same.
            if current and row["code_version"] == code_version():
                report.input_digest = digests[report.protocol].of(report.kind)
            with self._staging.writing():
                report.save()

    def _with_ids(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result whose strips and disagreements refer to images and annotations by local ids."""
        if isinstance(result.get("strips"), dict):
            result["strips"] = with_images(result["strips"], partial(_at, self.images))
        rows = result.get("disagreements", {}).get("rows", [])
        for row in rows:
            row["image"] = _at(self.images, row["image"])
            row["annotations"] = [_at(self.annotations, line) for line in row["annotations"]]
        return result


def _ids(rows: QuerySet[Any]) -> array[int]:
    return array("q", rows.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=5000))


def _at(numbers: array[int], line: object) -> int:
    known = isinstance(line, int) and 1 <= line <= len(numbers)
    return numbers[line - 1] if known else 0  # type: ignore[operator]
