"""The study's claims in our own words, and our figure that checks each number.

Provenance matters more than the number: `ABSTRACT` was read in the abstracts of both versions (medRxiv
10.1101/2024.08.21.24312353, Cureus 10.7759/cureus.74193); `NOTEBOOK` in the printed output of the
authors' scripts/balanced_annotation_distribution.ipynb; `HANDED_DOWN` came to this project as figures of
the paper, whose full text could not be consulted when this table was made, so that no page can be named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ABSTRACT: Final = "Abstract"
HANDED_DOWN: Final = "Results, as reported"
MANUAL: Final = "Annotators' manual, as reported"
NOTEBOOK: Final = "Authors' notebook"
SOURCES: Final = (ABSTRACT, HANDED_DOWN, MANUAL, NOTEBOOK)


@dataclass(frozen=True)
class PublishedNumber:
    """One printed number: `figure` is a key of `ours.figures`, `note` one of `notes.notes`."""

    source: str
    says: str
    printed: str
    figure: str
    note: str = ""


CLAIMS: Final = (
    PublishedNumber(ABSTRACT, "images generated", "240", "images"),
    PublishedNumber(ABSTRACT, "generators", "3", "generators"),
    PublishedNumber(ABSTRACT, "prompts", "10", "prompts"),
    PublishedNumber(ABSTRACT, "images of each prompt by each generator", "8", "images_per_cell"),
    PublishedNumber(ABSTRACT, "error types", "5", "error_types"),
    PublishedNumber(ABSTRACT, "severities", "3", "severities"),
    PublishedNumber(ABSTRACT, "anatomical regions", "5", "body_parts"),
    PublishedNumber(ABSTRACT, "per cent of the images judged twice", "25", "percent_double"),
    PublishedNumber(
        HANDED_DOWN,
        "alpha of the cumulative score, mean of six pairs",
        "0.44",
        "mean.cumulative_score",
        "interval",
    ),
    PublishedNumber(
        HANDED_DOWN,
        "alpha of overall severity, mean of six pairs",
        "0.57",
        "mean.overall_severity",
        "population",
    ),
    PublishedNumber(
        HANDED_DOWN, "alpha of the single categories, mean of six pairs", "0.45", "mean.cells", "face_only"
    ),
    PublishedNumber(HANDED_DOWN, "mean cumulative score of DALL-E 3", "0.82", "mean.dall-e3"),
    PublishedNumber(
        HANDED_DOWN,
        "its variance (lower end of the reported range)",
        "0.72",
        "variance.dall-e3",
        "sample",
    ),
    PublishedNumber(HANDED_DOWN, "its variance (upper end)", "0.73", "variance.dall-e3", "variance"),
    PublishedNumber(HANDED_DOWN, "Welch t, DALL-E 3 against SDXL", "-6.72", "t.dall-e3.sdxl", "row_wise"),
    PublishedNumber(
        HANDED_DOWN,
        "Welch t, DALL-E 3 against Stable Cascade",
        "-4.67",
        "t.dall-e3.stablecascade",
        "row_wise",
    ),
    PublishedNumber(MANUAL, "cumulative score of the worked example (67/60)", "1.117", "worked_example"),
    PublishedNumber(NOTEBOOK, "images in the pool", "240", "images"),
    PublishedNumber(NOTEBOOK, "images to be judged twice", "60", "double"),
    PublishedNumber(NOTEBOOK, "by each generator", "20", "double_per_generator"),
    PublishedNumber(NOTEBOOK, "of each prompt", "6", "double_per_prompt"),
    PublishedNumber(NOTEBOOK, "for each annotator", "30", "double_per_annotator"),
    PublishedNumber(NOTEBOOK, "for each annotator and generator", "10", "double_per_annotator_generator"),
    PublishedNumber(NOTEBOOK, "images to be judged once", "180", "single"),
    PublishedNumber(NOTEBOOK, "by each generator", "60", "single_per_generator"),
    PublishedNumber(NOTEBOOK, "of each prompt", "18", "single_per_prompt"),
    PublishedNumber(NOTEBOOK, "for each annotator", "45", "single_per_annotator"),
    PublishedNumber(NOTEBOOK, "of each generator and prompt", "6", "single_per_generator_prompt"),
    PublishedNumber(NOTEBOOK, "for each annotator and generator", "15", "single_per_annotator_generator"),
    PublishedNumber(NOTEBOOK, "annotations in total", "300", "annotations"),
    PublishedNumber(NOTEBOOK, "annotations of each generator", "100", "annotations_per_generator"),
    PublishedNumber(NOTEBOOK, "annotations by each annotator", "75", "annotations_per_annotator"),
    PublishedNumber(NOTEBOOK, "annotations of each prompt", "30", "annotations_per_prompt"),
    PublishedNumber(
        NOTEBOOK, "annotations of each generator and prompt", "10", "annotations_per_generator_prompt"
    ),
    PublishedNumber(
        NOTEBOOK, "annotations by each annotator and generator", "25", "annotations_per_annotator_generator"
    ),
)

NOTEBOOK_SINGLE: Final = {
    "athlete performing salto": (7, 5, 1, 5),
    "couple hugging": (6, 4, 4, 4),
    "five people playing volleyball": (4, 6, 3, 5),
    "five people sunbathing on beach": (3, 3, 8, 4),
    "mother or father holding baby": (6, 4, 6, 2),
    "old couple in sauna": (2, 6, 3, 7),
    "people eating pizza": (5, 5, 3, 5),
    "person jogging": (6, 3, 6, 3),
    "physician examining patient": (3, 5, 5, 5),
    "wrestling in arena": (3, 4, 6, 5),
}
"""Images judged once, by prompt and the notebook's four annotators, as it printed them."""

NOTEBOOK_ALL: Final = {
    "athlete performing salto": (12, 6, 4, 8),
    "couple hugging": (8, 6, 8, 8),
    "five people playing volleyball": (6, 11, 5, 8),
    "five people sunbathing on beach": (5, 5, 12, 8),
    "mother or father holding baby": (9, 9, 9, 3),
    "old couple in sauna": (5, 10, 5, 10),
    "people eating pizza": (9, 6, 7, 8),
    "person jogging": (8, 6, 10, 6),
    "physician examining patient": (8, 9, 6, 7),
    "wrestling in arena": (5, 7, 9, 9),
}
"""All annotations, by prompt and the notebook's four annotators, as it printed them."""
