"""A bundle read back: checked line by line, stored out of sight, and handed over whole."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import Model

from analysis.bundles import rules
from analysis.bundles.contents import ADJUDICATIONS
from analysis.bundles.manifest import Manifest, read_manifest
from analysis.bundles.opened import BundleRefused, Opened, Watch, counted
from analysis.bundles.rules import Rule, checked, maybe, one_of, shown, text, truth, whole
from analysis.bundles.staging import Actor, hand_over, require_empty, staging_for, store_plan
from analysis.datasets import input_digests
from analysis.models import Report
from analysis.sections import reading_of
from analysis.versions import code_version
from annotator.decoding import FORMATS, SUFFIXES, UnreadableImage
from annotator.models import Adjudication, Annotation, Assignment, Batch, Image, Membership, Project
from annotator.sending import DisplaySender
from annotator.storage import save_whole
from annotator.transactions import write_transaction
from annotator.uploads.decoding_apart import Decoder
from scoring.protocol import InvalidPayload
from scoring.service import PROTOCOLS, get_protocol

CHUNK: Final = 500
NOT_IN_THE_BUNDLE: Final = "the picture was not in the bundle that this project was restored from"
LARGEST_PLAN: Final = 512 * 1024 * 1024
# Checking the hashes is a third of the work.
CHECKED_AT: Final = 30

Row = TypeVar("Row", bound=Model)
Placed = tuple[str, dict[str, Any]]

IMAGE_RULES: Final[Mapping[str, Rule]] = {
    "sha256": rules.content,
    "source_name": text(400),
    "format": one_of(FORMATS),
    "width": whole(1),
    "height": whole(1),
    "generator": text(120),
    "prompt": text(400),
    "prompt_group": text(80),
    "number": maybe(whole(0)),
    "attributes": rules.an_object,
    "file": maybe(text(200, 1)),
}
ANNOTATION_RULES: Final[Mapping[str, Rule]] = {
    "payload": rules.an_object,
    "status": one_of(Annotation.Status.values),
    "version": whole(1),
    "warnings": rules.warnings,
    "ratings": maybe(rules.ratings),
    "source": maybe(rules.row_as_it_was),
    "capture": rules.an_object,
    "flagged": truth,
    "active_ms": maybe(whole(0, 2**63 - 1)),
    "saved_at": rules.moment,
    "submitted_at": maybe(rules.moment),
}

ADJUDICATION_RULES: Final[Mapping[str, Rule]] = {
    "protocol": one_of(sorted(PROTOCOLS)),
    "payload": rules.an_object,
    "ratings": rules.ratings,
    "status": one_of(Adjudication.Status.values),
    "version": whole(1),
    "note": text(2000),
    "settled_from": rules.lines_and_versions,
    "decided_at": rules.moment,
}


@dataclass
class Restored:
    """What was restored, and `remarks` in words."""

    images: int = 0
    pictures: int = 0
    annotations: int = 0
    remarks: list[str] = field(default_factory=list)


def restore(path: Path, project: Project, *, actor: Actor, watch: Watch) -> Restored:
    """Make an empty project what a bundle says, all of it or nothing.

    Raises BundleRefused naming what is wrong; OSError where the storage takes no more.
    """
    require_empty(project)
    bundle = Opened(path)
    manifest = read_manifest(bundle)
    bundle.verify(lambda done, total: watch(CHECKED_AT * done, 100 * max(1, total)))
    with staging_for(project) as staging:
        storing = _Storing(bundle, manifest, staging, project, watch)
        made = storing.store()
        values = {"weights": dict(manifest.weights)}
        event = {
            "actor": actor,
            "bundle": bundle.sums_digest(),
            "name": manifest.name,
            "images": made.images,
            "annotations": made.annotations,
        }
        made.remarks += hand_over(staging, project, values, event)
    project.refresh_from_db()
    sender = DisplaySender()
    waiting = project.images.filter(display_state=Image.DisplayState.PENDING).order_by("pk")
    for pk in waiting.values_list("pk", flat=True):
        sender.send(pk)
    return made


class _Storing:
    """One bundle on its way into the rows of a project nobody sees."""

    def __init__(
        self, bundle: Opened, manifest: Manifest, staging: Project, project: Project, watch: Watch
    ) -> None:
        self._bundle = bundle
        self._manifest = manifest
        self._staging = staging
        self._project = project
        self._watch = watch
        self._done = 0
        self._made = Restored()
        self._batches: list[Batch] = []
        self._people = array("q")
        self._images = array("q")
        self._assignments = array("q")
        self._batch_of = array("l")
        self._annotations = array("q")
        self._adjudications = array("q")
        # Pictures whose rows are not stored yet.
        self._ahead: list[str] = []

    def store(self) -> Restored:
        """Store everything; raises BundleRefused, with no picture left that has no row."""
        try:
            return self._store()
        except BaseException:
            for name in self._ahead:
                default_storage.delete(name)
            raise

    def _store(self) -> Restored:
        Project.objects.filter(pk=self._staging.pk).update(weights=dict(self._manifest.weights))
        self._staging.refresh_from_db()
        self._store_people_and_batches()
        with Decoder(max_pixels=settings.MAX_IMAGE_PIXELS) as decoder:
            self._images = self._stored("restore/images.jsonl", lambda row: self._image(row, decoder))
        self._assignments = self._stored("restore/assignments.jsonl", self._assignment)
        self._annotations = self._stored("restore/annotations.jsonl", self._annotation)
        if self._bundle.has(ADJUDICATIONS):
            self._adjudications = self._stored(ADJUDICATIONS, self._adjudication)
        self._require_counts()
        self._store_plans()
        self._store_reports()
        self._made.images = len(self._images)
        self._made.annotations = len(self._annotations)
        if lost := self._made.images - self._made.pictures:
            pictures = counted(lost, "image")
            self._made.remarks.append(
                f"The pictures of {pictures} are not in the bundle: until they are here, they cannot be "
                "shown or judged. Upload the files to this project, whatever they are called: each is known "
                "by its content and becomes the picture of its image."
            )
        return self._made

    def _step(self) -> None:
        self._done += 1
        counts = self._manifest.counts
        total = counts["images"] + counts["assignments"] + counts["annotations"]
        share = CHECKED_AT * total + (99 - CHECKED_AT) * min(self._done, total)
        self._watch(share, 100 * max(1, total))

    def _store_people_and_batches(self) -> None:
        with write_transaction():
            for row in self._manifest.people:
                member = Membership.objects.create(
                    project=self._staging, role=Membership.Role.ANNOTATOR, **row
                )
                self._people.append(member.pk)
            for row in self._manifest.batches:
                batch = Batch.objects.create(project=self._staging, **row)
                Batch.objects.filter(pk=batch.pk).update(created_at=row["created_at"])
                self._batches.append(batch)

    def _stored(self, name: str, made: Callable[[Placed], Model]) -> array[int]:
        """Store a file's rows, a chunk in a transaction; return their ids by line."""
        numbers = array("q")
        rows: Iterator[Placed] = self._bundle.rows(name)
        while chunk := list(islice(rows, CHUNK)):
            objects = [made(row) for row in chunk]
            _create(objects, [where for where, _ in chunk])
            self._ahead.clear()
            numbers.extend(one.pk for one in objects)
            for _ in chunk:
                self._step()
        return numbers

    def _image(self, placed: Placed, decoder: Decoder) -> Image:
        where, row = placed
        values = checked(row, IMAGE_RULES, where)
        place = values.pop("file")
        name = f"{values['sha256']}.{SUFFIXES[values['format']]}"
        image = Image(
            project=self._staging,
            file=f"originals/{self._project.pk}/{name[:2]}/{name}",
            # Until it is handed over nobody shall draw it.
            display_state=Image.DisplayState.FAILED,
            display_error=NOT_IN_THE_BUNDLE,
            **values,
        )
        if place is not None:
            if place != f"images/{name}":
                raise BundleRefused(f"{where}: “file” is {shown(place)}; expected images/{name}.")
            self._keep_picture(place, image, decoder)
            self._made.pictures += 1
        return image

    def _keep_picture(self, place: str, image: Image, decoder: Decoder) -> None:
        contents = self._bundle.contents(place, settings.MAX_IMAGE_BYTES)
        try:
            facts = decoder.decode(contents)
        except UnreadableImage as error:
            raise BundleRefused(f"{place}: {error.reason}.") from error
        for name in ("sha256", "format", "width", "height"):
            if getattr(facts, name) != getattr(image, name):
                found, said = getattr(facts, name), getattr(image, name)
                raise BundleRefused(f"{place}: {name} is {found}; restore/images.jsonl has {said}.")
        self._ahead.append(str(image.file.name))
        save_whole(str(image.file.name), contents)
        image.display_error = ""

    def _assignment(self, placed: Placed) -> Assignment:
        where, row = placed
        values = checked(
            row,
            {
                "batch": whole(1, len(self._batches)),
                "image": whole(1, len(self._images)),
                "annotator": whole(1, len(self._people)),
                "position": maybe(whole(0)),
                "status": one_of(Assignment.Status.values),
            },
            where,
        )
        if (values["status"] == Assignment.Status.WITHDRAWN) != (values["position"] is None):
            raise BundleRefused(f"{where}: exactly those that are withdrawn have no position.")
        self._batch_of.append(values["batch"] - 1)
        return Assignment(
            batch=self._batches[values["batch"] - 1],
            image_id=self._images[values["image"] - 1],
            annotator_id=self._people[values["annotator"] - 1],
            position=values["position"],
            status=values["status"],
        )

    def _annotation(self, placed: Placed) -> Annotation:
        where, row = placed
        values = checked(row, {"assignment": whole(1, len(self._assignments)), **ANNOTATION_RULES}, where)
        place = values.pop("assignment") - 1
        _require_answer(values, self._batches[self._batch_of[place]], self._staging, where)
        return Annotation(assignment_id=self._assignments[place], **values)

    def _adjudication(self, placed: Placed) -> Adjudication:
        where, row = placed
        values = checked(
            row,
            {
                "image": whole(1, len(self._images)),
                "decided_by": whole(1, len(self._people)),
                **ADJUDICATION_RULES,
            },
            where,
        )
        _require_settled(values, self._staging, where)
        image, decider = values.pop("image"), values.pop("decided_by")
        values["settled_from"] = [
            [_at(self._annotations, line), version] for line, version in values["settled_from"]
        ]
        return Adjudication(
            image_id=self._images[image - 1], decided_by_id=self._people[decider - 1], **values
        )

    def _require_counts(self) -> None:
        found = {
            "images": self._images,
            "assignments": self._assignments,
            "annotations": self._annotations,
            "adjudications": self._adjudications,
        }
        for name, rows in found.items():
            wanted = self._manifest.counts[name]
            if len(rows) != wanted:
                raise BundleRefused(
                    f"restore/{name}.jsonl has {len(rows):,} rows; project.json says {wanted:,}."
                )

    def _store_plans(self) -> None:
        for row in self._manifest.plans:
            document = zlib.compress(self._bundle.contents(row.pop("file"), LARGEST_PLAN))
            with write_transaction():
                store_plan(self._batches[row.pop("batch") - 1].pk, row, document)

    def _store_reports(self) -> None:
        if not self._manifest.reports:
            return
        digests = input_digests(self._staging)
        for row in self._manifest.reports:
            name, current = row.pop("file"), row.pop("current")
            result = self._with_ids(self._bundle.object(name))
            report = Report(project=self._staging, status=Report.Status.DONE, kept=True, result=result, **row)
            try:
                reading_of(report, self._staging)
            except Exception as error:
                raise BundleRefused(f"{name}: this is no result of a report ({error!r}).") from error
            # As if it had been computed here: it would come out the same.
            if current and row["code_version"] == code_version():
                report.input_digest = digests.of(report.kind)
            with write_transaction():
                report.save()

    def _with_ids(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result whose disagreements name images and annotations by their ids here."""
        rows = result.get("disagreements", {}).get("rows", [])
        for row in rows:
            row["image"] = _at(self._images, row["image"])
            row["annotations"] = [_at(self._annotations, line) for line in row["annotations"]]
        return result


def _at(numbers: array[int], line: object) -> int:
    known = isinstance(line, int) and 1 <= line <= len(numbers)
    return numbers[line - 1] if known else 0  # type: ignore[operator]


def _require_answer(values: Mapping[str, Any], batch: Batch, project: Project, where: str) -> None:
    """Raise BundleRefused for an answer that its protocol would not take, or with ratings not its own."""
    protocol = get_protocol(batch.protocol)
    try:
        answer = protocol.clean(values["payload"], complete=False)
        made = protocol.ratings(answer, project.exact_weights) if values["ratings"] is not None else None
    except (InvalidPayload, ValueError) as error:
        raise BundleRefused(f"{where}: the answer cannot be used: {error}") from error
    submitted = values["status"] == Annotation.Status.SUBMITTED
    if submitted and (values["ratings"] is None or values["submitted_at"] is None):
        raise BundleRefused(f"{where}: a submitted answer has “ratings” and “submitted_at”.")
    if made is not None and not _same(values["ratings"], made):
        raise BundleRefused(f"{where}: the ratings are not those of the marks.")


def _require_settled(values: Mapping[str, Any], project: Project, where: str) -> None:
    """Raise BundleRefused for a settled value that its protocol would not take, or with foreign ratings."""
    protocol = get_protocol(values["protocol"])
    try:
        made = protocol.ratings(protocol.clean(values["payload"]), project.exact_weights)
    except (InvalidPayload, ValueError) as error:
        raise BundleRefused(f"{where}: the settled value cannot be used: {error}") from error
    if not _same(values["ratings"], made):
        raise BundleRefused(f"{where}: the ratings are not those of the marks.")


def _same(stored: list[list[str]], made: Iterable[tuple[str, str, Fraction]]) -> bool:
    """Whether ratings belong to an answer. Its score may be of other weights, which were in use then."""
    (score, *fractions), expected = (stored or [["", "", ""]]), list(made)
    found = [(variable, component, Fraction(value)) for variable, component, value in fractions]
    return score[:2] == list(expected[0][:2]) and found == expected[1:]


def _create(objects: list[Any], places: list[str]) -> None:
    """Store rows in one transaction; raises BundleRefused naming the line of one that cannot be there too."""
    model = type(objects[0])
    try:
        with write_transaction(), transaction.atomic():
            model._default_manager.bulk_create(objects)
    except IntegrityError:
        for one, where in zip(objects, places, strict=True):
            try:
                with write_transaction(), transaction.atomic():
                    one.pk = None
                    one.save(force_insert=True)
            except IntegrityError as error:
                raise BundleRefused(
                    f"{where}: there is such a row already, or it contradicts itself ({error})."
                ) from error
        raise
