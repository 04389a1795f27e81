"""Store the rows of a bundle in its staging, one chunk per transaction.

Rows are stored in line order, so the number of rows is the number of completed lines, which a worker that
resumes skips.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import chain, islice
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Model, QuerySet

from analysis.bundles.norming import SESSIONS
from analysis.bundles.restoring import data_sets, faces, guidelines, norming, standings
from analysis.bundles.restoring.archive import BundleRefused, Opened
from analysis.bundles.restoring.manifest import Manifest
from analysis.bundles.restoring.reports import local_id, store_reports
from analysis.bundles.restoring.rules import (
    ADJUDICATION_RULES,
    ANNOTATION_RULES,
    ANNOUNCEMENT_RULES,
    ASSIGNMENT_RULES,
    IMAGE_RULES,
    NOT_STORED_YET,
    QUESTION_RULES,
    REFERENCE_RULES,
    REPLY_RULES,
    Rule,
    checked,
    maybe,
    require_annotation,
    require_causes,
    require_value,
    shown,
    whole,
)
from analysis.bundles.restoring.staging import Staging
from analysis.bundles.rows import CAUSES, GUIDELINE, LEFT_OUT_OF_ASSIGNMENTS, SEEN_FIELDS
from analysis.models import ImageMetric, Report
from annotator.annotations.summaries import summarise_project
from annotator.annotations.unreadable import loses_terms
from annotator.batches.planning import read_document
from annotator.batches.planning.certificate import MALFORMED, annotators_first
from annotator.batches.planning.change.design import read_change
from annotator.images.decoding import SUFFIXES
from annotator.models import (
    Adjudication,
    Annotation,
    Announcement,
    Assignment,
    Attempt,
    Batch,
    FaceDecision,
    GuidelineVersion,
    Image,
    Membership,
    NormedImage,
    NormingComment,
    NormingSession,
    Plan,
    Project,
    Qualification,
    Question,
    Reference,
    Reply,
    Screening,
    Standing,
)
from annotator.models.counting import mark_random
from annotator.training.references import ReferenceRefused, checked_rationales

CHUNK: Final = 500
NOT_IN_THE_BUNDLE: Final = "the image file was not in the restored bundle"

Placed = tuple[str, dict[str, Any]]

# By name, how rows belong to a project: those counted in project.json, and those that only others refer to.
_COUNTED: Final[Mapping[str, tuple[type[Model], str]]] = {
    "images": (Image, "project"),
    "assignments": (Assignment, "batch__project"),
    "annotations": (Annotation, "assignment__batch__project"),
    "adjudications": (Adjudication, "image__project"),
    "guidelines": (GuidelineVersion, "guideline__project"),
    "faces": (FaceDecision, "image__project"),
    "screenings": (Screening, "image__project"),
    "metrics": (ImageMetric, "project"),
    "references": (Reference, "image__project"),
    "announcements": (Announcement, "batch__project"),
    "questions": (Question, "project"),
    "replies": (Reply, "question__project"),
    "qualifications": (Qualification, "batch__project"),
    "attempts": (Attempt, "qualification__batch__project"),
    "standings": (Standing, "membership__project"),
    "norming_sessions": (NormingSession, "project"),
    "normed_images": (NormedImage, "session__project"),
    "norming_comments": (NormingComment, "normed__session__project"),
}
_REFERRED_TO: Final[Mapping[str, tuple[type[Model], str]]] = {
    "batches": (Batch, "project"),
    "people": (Membership, "project"),
}


class Rows:
    """The rows of one bundle; `ids` are those in the staging by name, `stored` is how many these are."""

    def __init__(self, bundle: Opened, manifest: Manifest, staging: Staging, project: Project) -> None:
        self._bundle = bundle
        self._manifest = manifest
        self._staging = staging
        self._made = staging.project
        # The folder of the image files after the transfer.
        self._folder = f"originals/{project.pk}"
        self._batches = {batch.pk: batch for batch in self._made.batches.order_by("pk")}
        self.ids = {
            name: _ids(model._default_manager.filter(**{path: self._made}))
            for name, (model, path) in {**_COUNTED, **_REFERRED_TO}.items()
        }

    @property
    def stored(self) -> int:
        """Return the number of stored rows, without those of guidelines."""
        return sum(len(self.ids[name]) for name in _COUNTED if name != "guidelines")

    def store_images(self, pause: Callable[[], None]) -> None:
        """Store the image rows without files, calling `pause` after each chunk.

        This and `store_answers` raise BundleRefused naming the invalid line, and JobCancelled.
        """
        self._store("images", self._image, pause)

    def store_answers(self, pause: Callable[[], None]) -> None:
        """Store the assignments, annotations, adjudications, guidelines, references, messages, standings."""
        self._store("assignments", self._assignment, pause)
        self._store("annotations", self._annotation, pause)
        if not self._manifest.seen:
            self._forget_seen()
        for batch in self._batches.values():
            with self._staging.writing():
                mark_random(batch)
        for name, made in (
            ("faces", self._faces),
            ("screenings", self._screening),
            ("metrics", self._metric),
            ("adjudications", self._adjudication),
            ("guidelines", self._guideline),
            ("references", self._reference),
            ("questions", self._question),
            ("replies", self._reply),
            ("announcements", self._announcement),
            ("qualifications", self._qualification),
            ("attempts", self._attempt),
            ("standings", self._standing),
        ):
            if self._bundle.has(f"restore/{name}.jsonl"):
                self._store(name, made, pause)
        if self._bundle.has(SESSIONS):
            self._store("norming_sessions", self._norming_session, pause)
            self._store("normed_images", self._normed_image, pause)
            self._store("norming_comments", self._norming_comment, pause)
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
            if self._bundle.has(SESSIONS):
                norming.link_rounds(self._bundle.rows(SESSIONS), self.ids["norming_sessions"])
        self._store_plans()
        store_reports(self._manifest, self._bundle, self._staging, self.ids)

    def _store(self, name: str, made: Callable[[Placed], Any], pause: Callable[[], None]) -> None:
        ids = self.ids[name]
        rows = islice(self._bundle.rows(f"restore/{name}.jsonl"), len(ids), None)
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

    def _faces(self, placed: Placed) -> FaceDecision:
        values = self._checked(placed, faces.FACE_RULES, image="images")
        place = 2 * (placed[1]["image"] - 1)
        width, height = self._sizes[place : place + 2]
        return faces.decision(values, (width, height), self.ids["people"], placed[0])

    @cached_property
    def _sizes(self) -> array[int]:
        """Return width and height of each image in turn, once all are stored."""
        rows = Image.everything.filter(project=self._made).order_by("pk").values_list("width", "height")
        return array("q", chain.from_iterable(rows.iterator(chunk_size=5000)))

    def _screening(self, placed: Placed) -> Screening:
        return Screening(**self._checked(placed, data_sets.SCREENING_RULES, image="images"))

    def _metric(self, placed: Placed) -> ImageMetric:
        values = self._checked(placed, data_sets.METRIC_RULES, image="images")
        return ImageMetric(project=self._made, **values)

    def _checked(self, placed: Placed, rules: Mapping[str, Rule], **lines: str) -> dict[str, Any]:
        """Return the values of a row to store; `lines` names the rows that a key refers to by line."""
        where, row = placed
        known = {key: whole(1, len(self.ids[name])) for key, name in lines.items()}
        values = checked(row, {**known, **rules}, where)
        numbers = {f"{key}_id": self.ids[name][values.pop(key) - 1] for key, name in lines.items()}
        return numbers | values

    def _assignment(self, placed: Placed) -> Assignment:
        where, row = placed
        lines = {"batch": "batches", "image": "images", "annotator": "people"}
        values = self._checked((where, {**LEFT_OUT_OF_ASSIGNMENTS, **row}), ASSIGNMENT_RULES, **lines)
        if (values["status"] == Assignment.Status.WITHDRAWN) != (values["position"] is None):
            raise BundleRefused(f"{where}: exactly the withdrawn assignments have no position.")
        return Assignment(**values)

    @cached_property
    def _about_assignments(self) -> tuple[array[int], array[int]]:
        """Return the batch and the annotator of each assignment, once all are stored."""
        batches, annotators = array("q"), array("q")
        rows = Assignment.objects.filter(batch__project=self._made).order_by("pk")
        for batch, annotator in rows.values_list("batch_id", "annotator_id").iterator():
            batches.append(batch)
            annotators.append(annotator)
        return batches, annotators

    def _annotation(self, placed: Placed) -> Annotation:
        where, row = placed
        values = self._checked((where, {GUIDELINE: None, **row}), ANNOTATION_RULES, assignment="assignments")
        batch = self._batches[self._about_assignments[0][row["assignment"] - 1]]
        require_annotation(values, batch, self._made, where)
        return Annotation(has_unread_terms=loses_terms(values["source"]), **values)

    def _adjudication(self, placed: Placed) -> Adjudication:
        where, row = placed
        lines = {"image": "images", "decided_by": "people"}
        values = self._checked((where, {CAUSES: None, **row}), ADJUDICATION_RULES, **lines)
        require_value(values, self._made, where, "adjudicated value")
        require_causes(values, where)
        annotations = self.ids["annotations"]
        values["settled_from"] = [
            [local_id(annotations, line), version] for line, version in values["settled_from"]
        ]
        return Adjudication(**values)

    def _guideline(self, placed: Placed) -> GuidelineVersion:
        where, row = placed
        with self._staging.writing():
            return guidelines.version_of(row, where, self._made, self.ids["images"])

    def _reference(self, placed: Placed) -> Reference:
        where, _ = placed
        maker = maybe(whole(1, len(self.ids["people"])))
        values = self._checked(placed, {"made_by": maker, **REFERENCE_RULES}, image="images")
        require_value(values, self._made, where, "reference")
        place = values.pop("made_by")
        texts = values["rationales"]
        try:
            stored = checked_rationales(values["protocol"], texts)
            if stored != texts or not all(texts.values()):
                raise ReferenceRefused("a text is empty, or begins or ends with spaces.")
        except ReferenceRefused as refused:
            raise BundleRefused(f"{where}: “rationales”: {refused}") from refused
        return Reference(made_by_id=self.ids["people"][place - 1] if place else None, **values)

    def _question(self, placed: Placed) -> Question:
        where, row = placed
        values = self._checked(placed, QUESTION_RULES, assignment="assignments")
        if (values["kind"] == Question.Kind.FLAG) != bool(values["reason"]):
            raise BundleRefused(f"{where}: exactly the flags have a reason.")
        # The person who restores it has read it elsewhere.
        values["read_at"] = values["answered_at"]
        annotator = self._about_assignments[1][row["assignment"] - 1]
        return Question(project=self._made, annotator_id=annotator, **values)

    def _reply(self, placed: Placed) -> Reply:
        return Reply(**self._checked(placed, REPLY_RULES, question="questions", author="people"))

    def _announcement(self, placed: Placed) -> Announcement:
        return Announcement(**self._checked(placed, ANNOUNCEMENT_RULES, batch="batches", author="people"))

    def _qualification(self, placed: Placed) -> Qualification:
        values = self._checked(placed, standings.QUALIFICATION_RULES, batch="batches")
        batch = self._batches[values["batch_id"]]
        return standings.qualification_of(values, batch, self.ids["images"], placed[0])

    def _attempt(self, placed: Placed) -> Attempt:
        lines = {"qualification": "qualifications", "annotator": "people"}
        values = self._checked(placed, standings.ATTEMPT_RULES, **lines)
        return standings.attempt_of(values, self.ids["images"], placed[0])

    def _standing(self, placed: Placed) -> Standing:
        values = self._checked(placed, standings.STANDING_RULES, annotator="people")
        return standings.standing_of(values, self.ids["annotations"], self.ids["people"], placed[0])

    def _norming_session(self, placed: Placed) -> NormingSession:
        where, _ = placed
        values = self._checked(placed, norming.SESSION_RULES, batch="batches")
        norming.require_session(values, self._batches[values["batch_id"]], where)
        # Linked once all are stored.
        del values["follows"]
        return NormingSession(project=self._made, **values)

    def _normed_image(self, placed: Placed) -> NormedImage:
        where, row = placed
        lines = {"session": "norming_sessions", "image": "images"}
        values = self._checked((where, {CAUSES: None, **row}), norming.NORMED_RULES, **lines)
        protocol = norming.protocol_of(values)
        norming.require_agreed(values, protocol, where)
        require_causes({**values, "protocol": protocol}, where)
        return NormedImage(**values)

    def _norming_comment(self, placed: Placed) -> NormingComment:
        lines = {"normed": "normed_images", "author": "people"}
        return NormingComment(**self._checked(placed, norming.COMMENT_RULES, **lines))

    def _require_counts(self) -> None:
        for name in _COUNTED:
            rows, wanted = self.ids[name], self._manifest.counts[name]
            if len(rows) != wanted:
                raise BundleRefused(
                    f"restore/{name}.jsonl has {len(rows):,} rows; project.json says {wanted:,}."
                )

    def _store_plans(self) -> None:
        for row in self._manifest.plans:
            values = dict(row)
            document = zlib.compress(self._plan(values.pop("file"), values["kind"]))
            batch, made_at = self.ids["batches"][values.pop("batch") - 1], values.pop("created_at")
            with self._staging.writing():
                made = Plan.objects.create(batch_id=batch, document=document, **values)
                Plan.objects.filter(pk=made.pk).update(created_at=made_at)

    def _plan(self, name: str, kind: str) -> bytes:
        """Return a plan's document, which pages and jobs can read."""
        document = self._bundle.document(name)
        try:
            design = (read_change if kind == Plan.Kind.CHANGE else read_document)(document)[0]
            if annotators_first([document]) != design.annotators:
                raise ValueError("the annotators are not where they belong")
        except (ValueError, *MALFORMED) as error:
            raise BundleRefused(f"{name}: {str(error)[:200]}.") from error
        return document


def _ids(rows: QuerySet[Any]) -> array[int]:
    return array("q", rows.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=5000))
