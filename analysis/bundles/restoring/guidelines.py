"""Guidelines of a bundle: each version is checked as if a lead had published it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from analysis.bundles.restoring import rules
from analysis.bundles.restoring.archive import BundleRefused
from analysis.bundles.restoring.rules import Rule, checked, shown, text, whole
from annotator.guidelines import content as contents
from annotator.guidelines.content import Content, Example, GuidelineRefused
from annotator.guidelines.drafts import guide_of
from annotator.guidelines.publishing import LONGEST_SUMMARY
from annotator.models import Guideline, GuidelineVersion, Image, Project

VERSION_RULES: Final[Mapping[str, Rule]] = {
    "protocol": rules.protocol,
    "major": whole(1),
    "minor": whole(0),
    "summary": text(LONGEST_SUMMARY),
    "published_at": rules.moment,
    "content": rules.an_object,
}
_CONTENT: Final = frozenset({"texts", "decisions", "examples", "drawn"})
_MARK: Final = frozenset({"component", "title", "text", "pins"})


def version_of(row: Mapping[str, Any], where: str, project: Project, images: array[int]) -> GuidelineVersion:
    """Return a row's version, not stored, of a guideline that is; raises BundleRefused naming the place."""
    values = checked(row, VERSION_RULES, where)
    protocol, published_at = values.pop("protocol"), values["published_at"]
    values["content"] = _content(values["content"], protocol, where, images)
    guideline, _ = Guideline.objects.get_or_create(
        project=project,
        protocol=protocol,
        defaults={"content": values["content"], "edited_at": published_at},
    )
    return GuidelineVersion(guideline=guideline, **values)


def finish(project: Project) -> None:
    """Put the latest versions in force, and begin the drafts with them."""
    numbers: dict[str, str] = {}
    for guideline in project.guidelines.all():
        latest = guideline.versions.order_by("-major", "-minor").first()
        if latest is not None:
            numbers[guideline.protocol] = latest.number
            whole_content = Content.of(latest.content)
            bare = tuple(replace(one, marks=(), adjudication=0) for one in whole_content.examples)
            draft = replace(whole_content, examples=bare).as_json()
            Guideline.objects.filter(pk=guideline.pk).update(content=draft, edited_at=latest.published_at)
    Project.objects.filter(pk=project.pk).update(guideline_versions=numbers)


def _content(stored: Mapping[str, Any], protocol: str, where: str, images: array[int]) -> dict[str, Any]:
    try:
        if stored.keys() != _CONTENT or not isinstance(stored["drawn"], bool):
            raise ValueError(f"expected the keys {', '.join(sorted(_CONTENT))}")
        if not all(isinstance(one, str) for one in stored["texts"].values()):
            raise ValueError("expected texts")
        lines = [one["image"] for one in stored["examples"]]
        public_ids = _public_ids(lines, images)
        examples = [{**one, "image": public_ids[one["image"]]} for one in stored["examples"] if one["image"]]
        made = Content.of({**stored, "examples": examples})
        for one in made.examples:
            _require_marks(one)
        return contents.checked(made, guide_of(protocol)).as_json()
    except GuidelineRefused as refused:
        raise BundleRefused(f"{where}: “content”: {refused}") from refused
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BundleRefused(f"{where}: “content” is {shown(stored)}; expected a guideline.") from error


def _public_ids(lines: list[Any], images: array[int]) -> dict[int, str]:
    for line in lines:
        if type(line) is not int or not 0 <= line <= len(images):
            raise ValueError(f"no image {line!r}")
    pks = {line: images[line - 1] for line in lines if line}
    found = dict(Image.objects.filter(pk__in=pks.values()).values_list("pk", "public_id"))
    return {line: str(found[pk]) for line, pk in pks.items()}


def _require_marks(one: Example) -> None:
    texts = (one.caption, *one.components)
    if type(one.adjudication) is not int or not all(isinstance(text, str) for text in texts):
        raise TypeError("an example has a caption, components and a version")
    for mark in one.marks:
        if mark.keys() != _MARK or not all(isinstance(mark[name], str) for name in _MARK - {"pins"}):
            raise TypeError("a mark has a component, a title, a text and pins")
        for pin in mark["pins"]:
            x, y = pin
            if not 0 <= float(x) <= 1 or not 0 <= float(y) <= 1:
                raise ValueError("pins are from 0 to 1")
