"""The page of a rating form, with its guideline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from annotator.protocols.page import Guide, GuideBlock, OwnGuide, ProtocolPage
from annotator.protocols.rating_form.form import form_class, script_config
from scoring.rating_form.definition import MEAN, FormDefinition, definition_of

SCRIPT: Final = "js/built/rating_form.js"
"""The script of rating forms and of realism."""
SECONDS: tuple[int, int] = (3, 6)
"""What newcomers are told, per item."""


def page_for(data: Mapping[str, Any]) -> ProtocolPage:
    """Return the page of a form, given its definition as JSON."""
    form = definition_of(data)
    titles = {item.name: item.title for item in form.items}
    return ProtocolPage(
        slug=form.slug,
        form=form_class(form),
        headline="Mean of the scales" if form.headline == MEAN else titles[form.headline],
        script=SCRIPT,
        script_stylesheets=("css/labelling/scripted-form.css",),
        config=lambda _: script_config(form),
        blind=form.prompt == "hidden",
        needs_prompt=form.prompt == "shown",
        guide=_guide(form),
        pace=(SECONDS[0] * len(form.items), SECONDS[1] * len(form.items)),
    )


def _guide(form: FormDefinition) -> Guide:
    introduction = GuideBlock("introduction", "What to rate", form.instructions or form.title)
    # An item may be named introduction, too.
    items = tuple(GuideBlock(f"item.{item.name}", item.title, item.help or item.title) for item in form.items)

    def context(own: OwnGuide) -> dict[str, Any]:
        points = [
            [f"{key}: {label}" for key, (_, label) in item.choices.items() if label] if item.points else []
            for item in form.items
        ]
        texts = [(block, own.texts.get(block.key)) for block in items]
        return {
            "form_title": form.title,
            "introduction": introduction,
            "items": [(block, text, labels) for (block, text), labels in zip(texts, points, strict=True)],
            "own": own.texts,
        }

    return Guide("annotator/guideline/protocols/rating_form.html", context, (introduction, *items))
