"""Guidelines in a few words."""

from __future__ import annotations

from typing import Any

from annotator.guidelines.content import Content, Decision, Example
from annotator.guidelines.publishing import draft_of, publish, save_draft
from annotator.models import Guideline, GuidelineVersion, Membership
from tests.annotator.adjudicating import Case
from tests.factories import user_of


def drafted(
    lead: Membership, protocol: str = "anatomy", *, replaces: int | None = None, **content: Any
) -> Guideline:
    """Replace the draft: texts by block; `decisions` and `examples` as they are."""
    known = {name: content.pop(name) for name in ("decisions", "examples", "drawn") if name in content}
    return save_draft(
        project=lead.project,
        protocol=protocol,
        actor=user_of(lead),
        content=Content(content, **known),
        replaces=draft_of(lead.project, protocol).revision if replaces is None else replaces,
    )


def publication(
    lead: Membership,
    summary: str = "Clearer.",
    *,
    major: bool = False,
    protocol: str = "anatomy",
    replaces: int | None = None,
) -> GuidelineVersion:
    """Publish the draft as it is."""
    return publish(
        project=lead.project,
        protocol=protocol,
        actor=user_of(lead),
        major=major,
        summary=summary,
        replaces=draft_of(lead.project, protocol).revision if replaces is None else replaces,
    )


def example_of(case: Case, *components: str, caption: str = "") -> Example:
    """The image of a case as an example."""
    return Example(str(case.image.public_id), components or ("missing.limbs",), caption)


RULED = Decision("A hand behind the back is **not** missing.", "missing.hands", "2026-11-20")
