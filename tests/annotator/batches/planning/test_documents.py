"""The same plan everywhere: fixed digests and other hash seeds; and what is stored of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from annotator.batches.planning import ALGORITHM, Design, Plan, make_plan, read_document
from tests.annotator.batches.planning.designs import annotators, images, published

ROOT = Path(__file__).resolve().parents[4]

GOLDEN = {
    "published": "a0ba1c29f1e25964039a1dd6f06dc07c29c672396ddcb7100285a06ad7bc8fbf",
    "crossed": "2705bcc3270c2676359ceb5db024bbf454da4093a72db1b6d7165ce7e47e4c2f",
    "capacities": "0c57d8b7fd47d3d2d0419542d68e98406af29e3f311a6c5e930cc7206f49e39c",
}


def golden(name: str) -> Design:
    """The design of a fixed digest."""
    return {
        "published": published(7),
        "crossed": Design(images(2, 7, 3), annotators(6), Fraction(1), per_image=3, seed=-4),
        "capacities": Design(images(4, 5, 2), annotators(5, 3, 9), 13, per_image=2, seed=2**40),
    }[name]


@pytest.mark.parametrize("name", GOLDEN)
def test_a_change_of_the_algorithm_or_of_python_would_show(name: str) -> None:
    assert make_plan(golden(name)).digest() == GOLDEN[name]
    assert ALGORITHM == "anatomark-plan/1"


@pytest.mark.few(1)
@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_another_hash_seed_makes_the_same_plans(hash_seed: str) -> None:
    program = (
        "from annotator.batches.planning import make_plan\n"
        "from tests.annotator.batches.planning.test_documents import GOLDEN, golden\n"
        "print([make_plan(golden(name)).digest() for name in GOLDEN])"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(list(GOLDEN.values()))


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan(Design(images(2, 4, 3), annotators(4), Fraction(1, 4), seed=5))


def test_a_plan_is_read_back(plan: Plan) -> None:
    design, per_image = read_document(plan.document())
    assert set(design.images) == set(plan.design.images)
    assert replace(design, images=plan.design.images) == plan.design
    assert per_image == Counter(one.image for one in plan.placements)
    assert make_plan(design).placements == plan.placements


def test_a_moved_placement_is_another_plan(plan: Plan) -> None:
    first, second, *rest = plan.placements
    moved = (replace(first, image=second.image), replace(second, image=first.image), *rest)
    assert replace(plan, placements=moved).digest() != plan.digest()
