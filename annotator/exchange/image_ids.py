"""The Image Id of each image of a project, which no other image of the project has."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import PurePath

from django.db.models.fields.json import KeyTextTransform

from annotator.models import Annotation, Image, Project


def composed_id(generator: str, prompt: str, number: int | None, file_name: str) -> str:
    """Return an Id such as `dall-e3_couple hugging_01`; without a number, the file name supplies it."""
    last = f"{number:02d}" if number is not None else PurePath(file_name).stem
    return f"{generator}_{prompt}_{last}"


def image_ids(project: Project) -> dict[int, str]:
    """Return the Image Ids by the primary keys of the project's images, also of those being deleted.

    An Id is the one that annotations were imported with, if they agree on one that no other image has; else
    it is composed of generator, prompt and number, and its later owners get `-2`, `-3` and so on.
    """
    imported = _imported_ids(project)
    ids: dict[int, str] = {}
    images = Image.everything.filter(project=project).order_by("pk")
    rows = images.values_list("pk", "generator", "prompt", "number", "source_name")
    for pk, generator, prompt, number, file_name in rows.iterator(chunk_size=5000):
        ids[pk] = imported.get(pk) or composed_id(generator, prompt, number, file_name)
    times = Counter(ids.values())
    taken = {image_id for image_id, count in times.items() if count == 1}
    copies: Counter[str] = Counter()
    for pk, image_id in ids.items():
        if times[image_id] == 1:
            continue
        ids[pk] = image_id
        while ids[pk] in taken:
            copies[image_id] += 1
            ids[pk] = f"{image_id}-{copies[image_id] + 1}"
        taken.add(ids[pk])
    return ids


def _imported_ids(project: Project) -> dict[int, str]:
    """Return the Ids that all imported annotations of one image, and those of no other, were given with."""
    rows = Annotation.objects.filter(assignment__image__project=project, source__image_id__gt="")
    pairs = (
        rows.order_by().values_list("assignment__image_id", KeyTextTransform("image_id", "source")).distinct()
    )
    ids_of: dict[int, set[str]] = defaultdict(set)
    times: Counter[str] = Counter()
    for image, image_id in pairs:
        ids_of[image].add(image_id)
        times[image_id] += 1
    return {
        image: image_id
        for image, ids in ids_of.items()
        if len(ids) == 1 and times[image_id := next(iter(ids))] == 1
    }
