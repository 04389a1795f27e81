"""The page of a rating form, with its guideline, and the rows that adjudication and feedback compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from annotator.protocols.adjudication_form import AdjudicationForm
from annotator.protocols.page import Guide, GuideBlock, OwnGuide, ProtocolPage, ShownMark
from annotator.protocols.rating_form.form import form_class, script_config
from annotator.protocols.rating_form.sheet import sheet_of
from scoring.protocol import Payload
from scoring.rating_form.definition import MEAN, FormDefinition, Item, definition_of
from scoring.rating_form.protocol import component_of

SCRIPT: Final = "js/built/rating_form.js"
"""The script of rating forms and of realism."""


class ItemsAdjudication(AdjudicationForm):
    """A row for each item, and for each option of *several*; the first text written is kept."""

    heads = ("Answer",)
    thing = "answer"
    definition: FormDefinition

    def text_of(self, payload: Payload, key: str) -> str:
        """Return an answer in words, or whether an option is ticked; empty for none."""
        answers = payload.get("answers", {})
        name, _, option = key.partition(".")
        if option:
            return "ticked" if option in answers.get(name, ()) else ""
        item = next(item for item in self.definition.items if item.name == name)
        return item.text_of(answers.get(name))

    def field_name(self, key: str) -> str:
        """Return the path of an answer, as in the protocol's errors."""
        return f"answers.{key}"

    def payload(self) -> Payload:
        """Return the payload of the chosen answers; unclear choices are in `errors` and omitted."""
        given = [*self.payloads, *filter(None, [self._stored])]
        answers = {item.name: self._answer(item, given) for item in self.definition.items}
        kept = {name: answer for name, answer in answers.items() if answer not in (None, [])}
        return {"answers": kept, "flag": None, "note": ""}

    def _answer(self, item: Item, given: Sequence[Payload]) -> Any:
        if item.kind == "several":
            return [key for key, _ in item.options if self.chosen(component_of(item, key))]
        if item.kind == "text":
            return next((one["answers"][item.name] for one in given if item.name in one["answers"]), None)
        text = self.chosen(item.name)
        same = (one for one in given if text is not None and self.text_of(one, item.name) == text)
        return next((one["answers"].get(item.name) for one in same), None)


def _adjudication_of(form: FormDefinition) -> type[AdjudicationForm]:
    titles: dict[str, str] = {}
    for item in form.items:
        if item.kind != "text":
            titles |= _answers_to(item) if item.kind == "several" else {item.name: item.title}
    rows = [(title, (key,)) for key, title in titles.items()]
    declared = {"definition": form, "titles": titles, "rows": rows}
    return type("FormAdjudication", (ItemsAdjudication,), declared)


def _answers_to(item: Item) -> dict[str, str]:
    """Return the answers to an item with their titles, as examples can stand for them: `quality.5`."""
    choices = item.choices.items()
    return {component_of(item, text): f"{item.title} {item.text_of(said)}" for text, (said, _) in choices}


def page_for(data: Mapping[str, Any]) -> ProtocolPage:
    """Return the page of a form, given its definition as JSON."""
    form = definition_of(data)
    titles = {item.name: item.title for item in form.items}
    return ProtocolPage(
        slug=form.slug,
        form=form_class(form),
        headline="Mean of the scales" if form.headline == MEAN else titles[form.headline],
        script=SCRIPT,
        config=lambda _: script_config(form),
        blind=form.prompt == "hidden",
        needs_prompt=form.prompt == "shown",
        sheet=sheet_of(form),
        guide=guide_of(form),
        adjudicating=_adjudication_of(form),
        marks=lambda payload: _marks(form, payload),
        pace=(3 * len(form.items), 6 * len(form.items)),
    )


def _marks(form: FormDefinition, payload: Payload) -> list[ShownMark]:
    given = payload.get("answers", {})
    return [
        ShownMark(component_of(item, text), "")
        for item in form.items
        for text, (answer, _) in item.choices.items()
        if given.get(item.name) == answer or (item.kind == "several" and answer in given.get(item.name, ()))
    ]


def guide_of(form: FormDefinition) -> Guide:
    """Return the guideline of a form: its instructions, and a block for each item."""
    introduction = GuideBlock("introduction", "What to rate", form.instructions or form.title)
    # An item may be named introduction, too.
    blocks = {
        GuideBlock(f"item.{item.name}", item.title, item.help or item.title): [
            (point, label) for point, label in item.points if label
        ]
        for item in form.items
    }
    answers = {block.key: _answers_to(item) for item, block in zip(form.items, blocks, strict=True)}
    return listed_guide(form.title, introduction, blocks, answers)


def listed_guide(
    title: str,
    introduction: GuideBlock,
    blocks: Mapping[GuideBlock, Sequence[tuple[object, str]]],
    answers: Mapping[str, Mapping[str, str]],
) -> Guide:
    """Return a guideline of an introduction and blocks, with the points that each lists.

    `answers` are those that examples can stand for, with their titles, by the key of the block.
    """

    def context(own: OwnGuide) -> dict[str, Any]:
        items = [
            (block, own.texts.get(block.key), own.examples.get(block.key, ()), points)
            for block, points in blocks.items()
        ]
        return {"form_title": title, "introduction": introduction, "items": items, "own": own.texts}

    return Guide(
        "annotator/guideline/protocols/rating_form.html",
        context,
        (introduction, *blocks),
        {key: (block,) for block, titles in answers.items() for key in titles},
        {key: title for titles in answers.values() for key, title in titles.items()},
    )
