"""Strips refer to images of their own project, in a bundle to its lines."""

from __future__ import annotations

from analysis.reports.image_references import with_images

STRIPS = {
    "image": [
        {
            "generator": "x",
            "images": [
                {"image": 7, "score": 0.5, "next": {"image": 9, "score": 0.6}},
                {"image": 9, "score": 0.6, "next": None},
            ],
        }
    ],
    "annotations": [],
}


def test_every_reference_moves_and_nothing_else() -> None:
    assert with_images(STRIPS, {7: 1, 9: 2}.__getitem__) == {
        "image": [
            {
                "generator": "x",
                "images": [
                    {"image": 1, "score": 0.5, "next": {"image": 2, "score": 0.6}},
                    {"image": 2, "score": 0.6, "next": None},
                ],
            }
        ],
        "annotations": [],
    }
    assert with_images(with_images(STRIPS, lambda pk: pk + 1), lambda pk: pk - 1) == STRIPS
