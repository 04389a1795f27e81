"""The example of a learned metric: its numbers, its gradient, its refusals, and the whole way."""

from __future__ import annotations

import ast
import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from analysis.models import ImageMetric
from annotator.models import DataSet
from examples.body_metric import body_metric as example
from tests.analysis.exports.test_realism import rate
from tests.factories import LEAD, make_batch, make_image, make_member, make_project
from tests.test_architecture import ORDER, imports, modules

HEADER = "split,prompt,sha256_a,sha256_b,preference_a,preference_b,weight"


def write_features(path: Path, ids: list[str], d: int = 8, *, seed: int = 1, **changes: Any) -> Path:
    draw = np.random.default_rng(seed)
    held: dict[str, Any] = {
        "id": ids,
        "image": draw.normal(size=(len(ids), d)),
        "text": draw.normal(size=(len(ids), d)),
    }
    np.savez(path, **(held | changes))
    return path


def write_pairs(path: Path, *rows: str) -> Path:
    path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return path


def test_the_worked_losses() -> None:
    scores = np.array([[2.0, 0], [2, 0], [2, 0], [1, 1]])
    p = np.array([[1, 0], [0.5, 0.5], [0, 1], [0.5, 0.5]])
    losses, _ = example.loss_of(scores, p)
    assert losses == pytest.approx([0.126928, 0.433781, 2.126928, 0], abs=1e-6)
    assert (1 + np.tanh(1)) / 2 == pytest.approx(0.880797, abs=1e-6)


@pytest.mark.parametrize(
    ("rows", "changes", "words"),
    [
        (["train,p,i0,i1,1,0,1", "test,p,i2,i3,0.5,0.5,1"], {}, "The prompt “p” is in two splits"),
        (["train,p,i0,x9,1,0,1", "train,p,x8,i3,0,1,1"], {}, "2 images of p.csv have no features:\nx8\nx9"),
        (
            ["train,p,i0,i1,1,0,1"],
            {"image": np.full((4, 8), np.nan)},
            "image of i0 has a value that is no number",
        ),
        (["train,p,i0,i1,1,0,1"], {"text": np.zeros((4, 9))}, "both must be n × d"),
        (["train,p,i0,i1,1,0,1"], {}, "one outcome only (first)"),
    ],
)
def test_refusals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: list[str], changes: dict[str, Any], words: str
) -> None:
    features = write_features(tmp_path / "f.npz", ["i0", "i1", "i2", "i3"], **changes)
    pairs = write_pairs(tmp_path / "p.csv", *rows)
    assert example.main(["train", str(pairs), str(features), str(tmp_path / "h.npz")]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "h.npz").exists()


def test_the_product_imports_no_example_and_the_example_only_numpy() -> None:
    product = {name.split(".")[0] for path in modules(*ORDER) for _, name in imports(path)}
    assert "examples" not in product
    tree = ast.parse(Path(example.__file__).read_text(encoding="utf-8"))
    names = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert names - {"argparse", "csv", "json", "sys"} == {"numpy"}


@pytest.mark.django_db
def test_the_whole_way_from_export_to_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = make_project("worked")
    DataSet.objects.create(project=project, settings={"validation": 0.25, "test": 0.35})
    batch = make_batch(project, name="Realism", protocol="realism")
    raters = [make_member(project, code=code) for code in "abc"]
    draw = np.random.default_rng(5)
    planted: dict[str, int] = {}
    for prompt in range(40):
        for number, rating in enumerate((2, 2, 9, 9)):
            made = make_image(project, generator=f"g{number % 2}", prompt=f"prompt {prompt}", number=number)
            planted[made.sha256] = rating
            for rater in raters:
                rate(rater, batch, made, str(rating))
    pairs, features, head = tmp_path / "pairs.csv", tmp_path / "f.npz", str(tmp_path / "h.npz")
    call_command("export", project="worked", protocol="realism", layout="pairs", output=str(pairs))
    ids, truth = list(planted), np.array([(rating - 5.5) / 3.5 for rating in planted.values()])
    # As with real backbones, texts about people are alike, and realism is a direction among the images.
    text = draw.normal(size=16) + draw.normal(0, 0.3, (len(ids), 16))
    image = truth[:, None] * draw.normal(size=16) + draw.normal(0, 0.5, text.shape)
    accuracy = {}
    for name, found in (("planted", image), ("shuffled", draw.permutation(image))):
        np.savez(features, id=ids, image=found, text=draw.permutation(text) if name == "shuffled" else text)
        assert example.main(["train", str(pairs), str(features), head, "--steps", "300"]) == 0
        capsys.readouterr()
        assert example.main(["evaluate", str(pairs), str(features), head]) == 0
        accuracy[name] = json.loads(capsys.readouterr().out)
        if name == "planted":
            scores = str(tmp_path / "scores.csv")
            assert example.main(["score", str(features), head, scores, "--metric", "body-metric"]) == 0
    assert accuracy["planted"]["always_tie"] == pytest.approx(0.5, abs=0.1)
    assert accuracy["planted"]["interval"][0] > accuracy["planted"]["always_tie"] + 0.1
    assert accuracy["shuffled"]["interval"][0] <= accuracy["shuffled"]["always_tie"]
    call_command("import_metrics", scores, project="worked")
    values = dict(ImageMetric.objects.values_list("image__sha256", "value"))
    assert np.corrcoef([values[name] for name in ids], truth)[0, 1] > 0.7
    with Path(scores).open(encoding="utf-8") as file:
        assert next(csv.reader(file)) == ["sha256", "metric", "score"]
    lead, client = make_member(project, LEAD), Client()
    assert lead.user is not None
    client.force_login(lead.user)
    assert "body-metric" in client.get(reverse("report_metrics", args=["worked"])).content.decode()
