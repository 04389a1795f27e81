"""Facts of the published study (Muhr et al., 2024) that are not in its annotation file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from annotator.exchange.formats.names import normal_form

SHEET_SHA256: Final = "7f388ce0025eafb550dff9921bcef839f416a9d973a0825bf0f5561c59a2e5d3"
"""The SHA-256 of its annotation file with LF line ends, by which an import of it is known."""
MISNUMBERED: Final = {"sdXL_physician_018": 8}
"""Numbers of files by name without extension: the annotation file has 8, and there is no other file of it."""

# What its annotators saw besides the images.
SHOWN: Final = frozenset({"prompt", "generator"})

_PROMPTS: Final = {
    "individual": ("person jogging", "athlete performing salto"),
    "pair": (
        "couple hugging",
        "mother or father holding baby",
        "physician examining patient",
        "old couple in sauna",
        "wrestling in arena",
    ),
    "group": (
        "people eating pizza",
        "five people sunbathing on beach",
        "five people playing volleyball",
    ),
}

# Prompt (normal form) -> group, in the order of the authors' own analysis.
PROMPT_GROUPS: Final[Mapping[str, str]] = MappingProxyType(
    {normal_form(prompt): group for group, prompts in _PROMPTS.items() for prompt in prompts}
)
