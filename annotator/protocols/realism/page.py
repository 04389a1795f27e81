"""The page of the realism protocol, with its guideline and the rows that feedback compares."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from annotator.protocols.adjudication_form import AdjudicationForm
from annotator.protocols.anatomy.guide import tip
from annotator.protocols.page import (
    Guide,
    GuideBlock,
    Measure,
    OwnGuide,
    ProtocolPage,
    ShownMark,
    ShownOutcome,
)
from annotator.protocols.rating_form.page import SCRIPT
from annotator.protocols.realism.form import SCRIPT_CONFIG, RealismForm
from annotator.protocols.realism.scale import DECISION_STEPS, EXEMPLARS, REASONS, TIERS, in_words
from annotator.protocols.realism.sheet_format import SHEET
from scoring.protocol import Payload
from scoring.realism.consolidation import quantile, words_of
from scoring.realism.protocol import INVALID, consolidated

KEYS: Final = (
    (
        "Rate",
        (
            tip(("1", "9"), "rate 1 to 9, and go to the next image"),
            tip(("0",), "rate 10"),
            tip(("I", "1"), "invalid, with a reason from 1 to 5"),
            tip(("Ctrl Enter",), "submit what is chosen and go to the next image"),
        ),
    ),
    (
        "The image",
        (
            tip(("Ctrl Z", "Backspace"), "undo the last rating (⌘ on a Mac)"),
            tip(("N",), "note: write it before you rate"),
            tip(("S",), "flag or skip, with a reason"),
            tip(("?",), "help"),
        ),
    ),
)
INTRODUCTION: Final = GuideBlock(
    "introduction",
    "What to rate",
    "How realistic is the anatomy of the body? Judge nothing else: not beauty, not the background, not the "
    "style, and not the face. Bodies of all shapes, amputations and asymmetries are not errors.",
)
TIER_BLOCKS: Final = tuple(
    GuideBlock(tier.slug, f"{tier.ratings[0]} to {tier.ratings[-1]}: {tier.title.lower()}", tier.text)
    for tier in TIERS
)
INVALID_BLOCK: Final = GuideBlock(
    "invalid", "Invalid", "\n".join(f"- **{title}.** {text}" for title, text in REASONS.values())
)
BLOCKS: Final = (INTRODUCTION, *TIER_BLOCKS, INVALID_BLOCK)
"""The texts that a project can replace."""
COMPONENTS: Final = {
    **{str(rating): (tier.slug,) for tier in TIERS for rating in tier.ratings},
    INVALID.name: (INVALID_BLOCK.key,),
}
"""What an example can stand for: a rating, or an invalid image."""
EXEMPLAR_SIZE: Final = (240, 400)


def context(own: OwnGuide) -> dict[str, Any]:
    """Return the context of the guideline's template."""
    return {
        "introduction": INTRODUCTION,
        "decision_steps": DECISION_STEPS,
        "tiers": [(block, own.texts.get(block.key), exemplars(block.key, own)) for block in TIER_BLOCKS],
        "invalid": INVALID_BLOCK,
        "invalid_exemplars": exemplars(INVALID_BLOCK.key, own),
        "exemplar_size": EXEMPLAR_SIZE,
        "reasons": list(REASONS.values()),
        "keys": KEYS,
        "own": own.texts,
    }


def exemplars(block: str, own: OwnGuide) -> list[dict[str, Any]]:
    """Return what stands for each rating of a tier, or for invalid: our drawings without other images."""
    shown = []
    for key in (key for key, (under,) in COMPONENTS.items() if under == block):
        chosen = [example for example in own.examples.get(block, ()) if key in example["components"]]
        if chosen or own.drawn:
            drawn = {"picture": f"img/realism/{key}.webp", "text": EXEMPLARS[key]}
            shown.append({"title": key.capitalize(), "own": chosen, **drawn})
    return shown


def marks(payload: Payload) -> list[ShownMark]:
    """Return the rating of a payload, or invalid with its reason."""
    reason, rating = payload.get("invalid"), payload.get("rating")
    if reason:
        return [ShownMark(INVALID.name, REASONS[reason][0].lower())]
    return [] if rating is None else [ShownMark(str(rating), "")]


def outcome(payloads: Sequence[Payload], invalid_from: int) -> ShownOutcome:
    """Return the consolidated score of an image, with the branch taken and the ratings kept."""
    consolidation = consolidated(payloads, invalid_from)
    facts = [
        ("Ratings", " ".join([*map(str, consolidation.ratings), *"x" * consolidation.invalid_votes])),
        ("Outcome", words_of(consolidation.branch, invalid_from)),
    ]
    if (
        consolidation.median is not None
        and consolidation.lower is not None
        and consolidation.upper is not None
    ):
        bounds = f"{_number(consolidation.lower)} to {_number(consolidation.upper)}"
        facts.append(("Interval", f"{bounds}, around the median {_number(consolidation.median)}"))
    if consolidation.realism_class:
        changes = "; it would change if one rating changed by 1" if consolidation.unstable else ""
        facts += [
            ("Kept", " ".join(map(str, consolidation.kept))),
            ("Class", consolidation.realism_class + changes),
            ("Median of all", _number(quantile(consolidation.ratings, Fraction(1, 2)))),
        ]
    return ShownOutcome(consolidation.score, facts)


def _number(exact: Fraction) -> str:
    """Return medians and bounds, which are eighths of whole numbers, exactly."""
    return f"{float(exact):g}".replace("-", "−")


class RealismRows(AdjudicationForm):
    """The two rows that training feedback compares. A lead adjudicates nothing: all ratings count."""

    titles = {"rating": "Rating", "invalid": "Invalid"}
    heads = ("Annotation",)
    rows = (("Rating", ("rating",)), ("Invalid", ("invalid",)))
    thing = "rating"

    def text_of(self, payload: Payload, key: str) -> str:
        """Return the rating as a number, or the reason in words; empty for the other row."""
        if key == "rating":
            return in_words(payload.get("rating"), None)
        return in_words(None, payload.get("invalid"))


PAGE: Final = ProtocolPage(
    slug="realism",
    measure=Measure(
        "Realism of the body",
        "Images of one person each, rated from 1 to 10 by several annotators, with faces blurred.",
    ),
    form=RealismForm,
    headline="Realism",
    script=SCRIPT,
    config=lambda _: SCRIPT_CONFIG,
    blind=True,
    faces_blurred=True,
    # One key rates an image.
    pace=(5, 10),
    sheet=SHEET,
    adjudicating=RealismRows,
    guide=Guide(
        "annotator/guideline/protocols/realism.html",
        context,
        BLOCKS,
        COMPONENTS,
        {key: INVALID.title if key == INVALID.name else f"Rating {key}" for key in COMPONENTS},
    ),
    marks=marks,
    outcome=outcome,
)
