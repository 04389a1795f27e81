"""The same plan everywhere: fixed certificates and other hash seeds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from annotator.batches.planning import ALGORITHM, Design, Plan, make_plan, read_document
from annotator.batches.planning.certificate import digest
from tests.annotator.batches.planning.designs import annotators, images, published

ROOT = Path(__file__).resolve().parents[4]

GOLDEN = {
    "published": "178ace841c5e18f7e2d0e0a8c92c2b8dc162860b8a7b9381c66da49b06d594ba",
    "crossed": "b7dabc1c5d5fdbf34197d05c69a70ca2865bf66e1b1e67ab0e9f1fe60fd12bcb",
    "capacities": "83e47c7b93ccc9c2a210d11edea2226a1bec0399a461039e99a1d816b7220687",
}


def golden(name: str) -> Design:
    """The design of a fixed certificate."""
    return {
        "published": published(7),
        "crossed": Design(images(2, 7, 3), annotators(6), Fraction(1), coders=3, seed=-4),
        "capacities": Design(images(4, 5, 2), annotators(5, 3, 9), 13, coders=2, seed=2**40),
    }[name]


@pytest.mark.parametrize("name", GOLDEN)
def test_a_change_of_the_algorithm_or_of_python_would_show(name: str) -> None:
    assert make_plan(golden(name)).certificate == GOLDEN[name]
    assert ALGORITHM == "anatomark-plan/1"


@pytest.mark.few(1)
@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_another_hash_seed_makes_the_same_plans(hash_seed: str) -> None:
    program = (
        "from annotator.batches.planning import make_plan\n"
        "from tests.annotator.batches.planning.test_certificates import GOLDEN, golden\n"
        "print([make_plan(golden(name)).certificate for name in GOLDEN])"
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
    design, placements = read_document(plan.document())
    assert placements == plan.placements
    assert set(design.images) == set(plan.design.images)
    assert replace(design, images=plan.design.images) == plan.design


def test_a_document_is_canonical(plan: Plan) -> None:
    found = json.loads(plan.document())
    assert json.dumps(found, sort_keys=True, separators=(",", ":")).encode() == plan.document()
    assert digest(plan.document()) == plan.certificate
