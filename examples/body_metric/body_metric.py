"""Learn a score of realism from pairs of images: a small head on frozen features, in numpy alone.

    body_metric.py train pairs.csv features.npz head.npz
    body_metric.py evaluate pairs.csv features.npz head.npz [--other scores.csv]
    body_metric.py score features.npz head.npz scores.csv --metric NAME

README.md says what the files hold, which parts follow the source, and what the numbers do not mean.
"""

import argparse
import csv
import json
import sys
from collections import Counter
from math import comb, log, sqrt
from pathlib import Path

import numpy as np

HIDDEN, STEPS, PAIRS, RATE, RESAMPLES = 512, 4000, 256, 1e-3, 2000
KINDS, SPLITS = ("first", "second", "tie"), ("train", "validation", "test")
BETAS, EPSILON, FIRST_TAU = (0.9, 0.999), 1e-8, 10.0

Array = np.ndarray
Parameters = dict[str, Array]


class Refused(ValueError):
    """Files that cannot be used; the message says what is wrong and what to do."""


class Features:
    """Features by image: `image` and `text` n × d, `body` n × 435 or None; rows by SHA-256."""

    def __init__(self, path: Path) -> None:
        with np.load(path, allow_pickle=False) as file:
            held = {name: file[name] for name in file.files}
        if missing := [name for name in ("id", "image", "text") if name not in held]:
            raise Refused(f"{path.name} lacks {', '.join(missing)}.")
        self.ids = [str(name) for name in held["id"]]
        self.row = {name: place for place, name in enumerate(self.ids)}
        self.image, self.text = (held[name].astype(float) for name in ("image", "text"))
        self.body = held["body"].astype(float) if "body" in held else None
        if self.image.shape != self.text.shape:
            raise Refused(f"image is {self.image.shape}, text {self.text.shape}: both must be n × d.")
        for name, values in (("image", self.image), ("text", self.text), ("body", self.body)):
            if values is not None and len(values) != len(self.ids):
                raise Refused(f"{name} has {len(values)} rows, id {len(self.ids)}.")
            if values is not None and not np.isfinite(values).all():
                place = np.argwhere(~np.isfinite(values))[0][0]
                raise Refused(f"{name} of {self.ids[place]} has a value that is no number. Compute it again.")

    @property
    def inputs(self) -> Array:
        """What the head reads: body and image beside each other."""
        return self.image if self.body is None else np.hstack([self.body, self.image])


class Pairs:
    """The pairs of one split: rows of both images, preferences, weights, prompts."""

    def __init__(self, rows: list[dict[str, str]], features: Features) -> None:
        self.one, self.other = (
            np.array([features.row[row[f"sha256_{side}"]] for row in rows], int) for side in "ab"
        )
        p = [[float(row["preference_a"]), float(row["preference_b"])] for row in rows]
        self.p = np.array(p).reshape(-1, 2)
        self.weight = np.array([float(row["weight"]) for row in rows])
        self.prompts = [row["prompt"] for row in rows]
        self.truth = np.where(self.p[:, 0] == self.p[:, 1], 2, np.where(self.p[:, 0] > self.p[:, 1], 0, 1))


def read_pairs(path: Path, features: Features) -> dict[str, Pairs]:
    """Return the pairs by split. Raises Refused for a prompt in two splits, and images without features."""
    splits: dict[str, str] = {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if splits.setdefault(row["prompt"], row["split"]) != row["split"]:
            raise Refused(f"The prompt “{row['prompt']}” is in two splits. Export the pairs again.")
    wanted = {row[f"sha256_{side}"] for row in rows for side in "ab"}
    if missing := sorted(wanted - features.row.keys()):
        raise Refused("\n".join([f"{len(missing)} images of {path.name} have no features:", *missing]))
    return {name: Pairs([row for row in rows if row["split"] == name], features) for name in SPLITS}


def gelu(x: Array) -> tuple[Array, Array]:
    """Return GELU in its tanh form (Hendrycks and Gimpel 2016), and its derivative."""
    inner = sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    bent = np.tanh(inner)
    slope = sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
    return 0.5 * x * (1 + bent), 0.5 * (1 + bent) + 0.5 * x * (1 - bent**2) * slope


def begin(features: Features, seed: int) -> Parameters:
    """Return seeded first parameters: normal with variance 2 / inputs, biases 0."""
    draw, d = np.random.default_rng(seed), features.image.shape[1]
    sizes = [("merge", d if features.body is None else 2 * d, d), ("last", d, d)]
    if features.body is not None:
        sizes = [("body", features.body.shape[1], HIDDEN), ("lift", HIDDEN, d), *sizes]
    made = {f"{name}_w": draw.normal(0, sqrt(2 / rows), (rows, columns)) for name, rows, columns in sizes}
    made |= {f"{name}_b": np.zeros(columns) for name, _, columns in sizes}
    return made | {"log_tau": np.array(log(FIRST_TAU))}


def forward(parameters: Parameters, inputs: Array, text: Array) -> tuple[Array, dict[str, Array]]:
    """Return the scores τ · cos(text, merged), and what the gradient needs."""
    kept: dict[str, Array] = {}
    d = text.shape[1]

    def layer(name: str, x: Array, bends: bool) -> Array:
        kept[f"{name}_x"] = x
        out = x @ parameters[f"{name}_w"] + parameters[f"{name}_b"]
        if bends:
            out, kept[f"{name}_slope"] = gelu(out)
        return out

    x = inputs
    if "body_w" in parameters:
        lifted = layer("lift", layer("body", inputs[:, :-d], True), False)
        x = np.hstack([inputs[:, -d:], lifted])
    merged = layer("last", layer("merge", x, True), False)
    size = np.linalg.norm(merged, axis=1, keepdims=True) + 1e-12
    toward = text / (np.linalg.norm(text, axis=1, keepdims=True) + 1e-12)
    kept |= {"unit": merged / size, "size": size, "toward": toward}
    kept["cos"] = (kept["unit"] * toward).sum(1)
    return np.exp(parameters["log_tau"]) * kept["cos"], kept


def backward(parameters: Parameters, kept: dict[str, Array], by_score: Array) -> Parameters:
    """Return the gradient of a loss with this derivative by each score."""
    tau, found = np.exp(parameters["log_tau"]), {}
    found["log_tau"] = np.array((by_score * tau * kept["cos"]).sum())

    def layer(name: str, by: Array) -> Array:
        if f"{name}_slope" in kept:
            by = by * kept[f"{name}_slope"]
        found[f"{name}_w"], found[f"{name}_b"] = kept[f"{name}_x"].T @ by, by.sum(0)
        return by @ parameters[f"{name}_w"].T

    aside = kept["toward"] - kept["cos"][:, None] * kept["unit"]
    by = layer("merge", layer("last", (by_score * tau)[:, None] * aside / kept["size"]))
    if "body_w" in parameters:
        layer("body", layer("lift", by[:, kept["toward"].shape[1] :]))
    return found


def loss_of(scores: Array, p: Array) -> tuple[Array, Array]:
    """Return Σ p (ln p − ln softmax(s)) of each pair (n × 2), and its derivative by the scores."""
    shifted = scores - scores.max(1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    known = np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0)
    return (known - p * logs).sum(1), np.exp(logs) * p.sum(1, keepdims=True) - p


def loss_and_gradient(
    parameters: Parameters, features: Features, pairs: Pairs, chosen: Array
) -> tuple[float, Parameters]:
    """Return the weighted mean loss of the chosen pairs, and its gradient."""
    rows = np.concatenate([pairs.one[chosen], pairs.other[chosen]])
    scores, kept = forward(parameters, features.inputs[rows], features.text[rows])
    losses, by = loss_of(scores.reshape(2, -1).T, pairs.p[chosen])
    weight = pairs.weight[chosen] / pairs.weight[chosen].sum()
    return float(losses @ weight), backward(parameters, kept, (by * weight[:, None]).T.ravel())


def train(features: Features, pairs: Pairs, *, steps: int = STEPS, seed: int = 0) -> Parameters:
    """Return the learned head: Adam (Kingma and Ba 2015), its rate falling in a line to 0."""
    if len(there := set(pairs.truth.tolist())) < 2:
        kinds = ", ".join(KINDS[kind] for kind in there) or "none"
        raise Refused(f"The pairs to learn from have one outcome only ({kinds}). Export more pairs.")
    parameters, draw = begin(features, seed), np.random.default_rng(seed + 1)
    mean, square = ({name: np.zeros_like(value) for name, value in parameters.items()} for _ in range(2))
    for step in range(1, steps + 1):
        chosen = draw.choice(len(pairs.truth), min(PAIRS, len(pairs.truth)), replace=False)
        _, gradient = loss_and_gradient(parameters, features, pairs, chosen)
        rate = RATE * (1 - (step - 1) / steps)
        for name, slope in gradient.items():
            mean[name] += (1 - BETAS[0]) * (slope - mean[name])
            square[name] += (1 - BETAS[1]) * (slope**2 - square[name])
            moved = mean[name] / (1 - BETAS[0] ** step)
            spread = np.sqrt(square[name] / (1 - BETAS[1] ** step)) + EPSILON
            parameters[name] = parameters[name] - rate * moved / spread
    return parameters


def predicted(ahead: Array, t: float) -> Array:
    """Return 0 for the first, 1 for the second, 2 for a tie: a lead `ahead` of the first below t."""
    return np.where(np.abs(ahead) < t, 2, np.where(ahead > 0, 0, 1))


def best_t(ahead: Array, truth: Array) -> float:
    """Return the least threshold, 0 or just above a lead, with the largest share of outcomes predicted."""
    tried = [0.0, *(float(np.nextafter(lead, np.inf)) for lead in np.unique(np.abs(ahead)))]
    shares = [(predicted(ahead, t) == truth).mean() for t in tried]
    return tried[int(np.argmax(shares))]


def leads(scores: Array, pairs: Pairs) -> Array:
    """Return p̂₁ − p̂₂ of each pair."""
    ahead: Array = np.tanh((scores[pairs.one] - scores[pairs.other]) / 2)
    return ahead


def evaluate(
    scores: Array, pairs: dict[str, Pairs], other: Array | None = None, seed: int = 0
) -> dict[str, object]:
    """Return the accuracy on the test pairs, beside the rule "always tie", and against `other` scores."""
    test, choosing = pairs["test"], pairs["validation"]
    if not len(test.truth) or not len(choosing.truth):
        raise Refused("There are no pairs for test or validation. Name more prompts in the splits.")
    t = best_t(leads(scores, choosing), choosing.truth)
    said = predicted(leads(scores, test), t)
    right = said == test.truth
    result: dict[str, object] = {
        "pairs": len(test.truth),
        "threshold": t,
        "accuracy": right.mean(),
        "interval": interval(right, test.prompts, seed),
        "always_tie": (test.truth == 2).mean(),
        "table": {
            KINDS[true]: {
                KINDS[kind]: int(((test.truth == true) & (said == kind)).sum()) for kind in range(3)
            }
            for true in range(3)
        },
    }
    if other is not None:
        theirs = [other[one.one] - other[one.other] for one in (choosing, test)]
        result["against"] = mcnemar(
            right, predicted(theirs[1], best_t(theirs[0], choosing.truth)) == test.truth
        )
    return result


def interval(right: Array, prompts: list[str], seed: int) -> list[float] | None:
    """Return the middle 95% of the accuracy over resampled prompts; None with fewer than 2."""
    names, of = np.unique(prompts, return_inverse=True)
    if len(names) < 2:
        return None
    counts, hits = np.bincount(of), np.bincount(of, right)
    drawn = np.random.default_rng(seed).integers(len(names), size=(RESAMPLES, len(names)))
    shares = hits[drawn].sum(1) / counts[drawn].sum(1)
    return [float(end) for end in np.quantile(shares, [0.025, 0.975])]


def mcnemar(ours: Array, theirs: Array) -> dict[str, float]:
    """Return McNemar's exact test of two rules on the same pairs."""
    only, never = int((ours & ~theirs).sum()), int((~ours & theirs).sum())
    n, least = only + never, min(only, never)
    p = min(1.0, 2 * sum(comb(n, k) for k in range(least + 1)) / 2**n)
    return {"accuracy": theirs.mean(), "only_ours_right": only, "only_theirs_right": never, "p": p}


def load_head(path: Path, features: Features) -> Parameters:
    """Return a stored head. Raises Refused if it was learned on features of another size."""
    with np.load(path, allow_pickle=False) as file:
        parameters = {name: file[name] for name in file.files}
    wanted = {name: value.shape for name, value in begin(features, 0).items()}
    if wanted != {name: value.shape for name, value in parameters.items()}:
        width = parameters["last_w"].shape[0] if "last_w" in parameters else "?"
        d, body = features.image.shape[1], "with" if features.body is not None else "without"
        raise Refused(f"{path.name} was learned with d = {width}; these features have d = {d}, {body} body.")
    return parameters


def read_scores(path: Path, features: Features) -> Array:
    """Return the scores of a file with `sha256` and `score`, in the rows of the features."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        given = {row["sha256"]: float(row["score"]) for row in csv.DictReader(file)}
    if missing := sorted(features.row.keys() - given.keys()):
        raise Refused(f"{len(missing)} images have no score in {path.name}, {missing[0]} for one.")
    return np.array([given[name] for name in features.ids])


def main(arguments: list[str]) -> int:
    """Run one command; a refusal is said on standard error and returns 2."""
    parser = argparse.ArgumentParser(prog="body_metric.py")
    acts = parser.add_subparsers(dest="act", required=True)
    files = {
        "train": ("pairs", "features", "head"),
        "evaluate": ("pairs", "features", "head"),
        "score": ("features", "head", "scores"),
    }
    for act, names in files.items():
        made = acts.add_parser(act)
        for name in names:
            made.add_argument(name, type=Path)
        made.add_argument("--seed", type=int, default=0)
    acts.choices["train"].add_argument("--steps", type=int, default=STEPS)
    acts.choices["evaluate"].add_argument("--other", type=Path)
    acts.choices["score"].add_argument("--metric", required=True)
    said = parser.parse_args(arguments)
    try:
        features = Features(said.features)
        if said.act == "train":
            pairs = read_pairs(said.pairs, features)["train"]
            np.savez(said.head, **train(features, pairs, steps=said.steps, seed=said.seed))  # type: ignore[arg-type]
            print(json.dumps(Counter(KINDS[kind] for kind in pairs.truth.tolist())))
            return 0
        scores, _ = forward(load_head(said.head, features), features.inputs, features.text)
        if said.act == "evaluate":
            other = read_scores(said.other, features) if said.other else None
            print(json.dumps(evaluate(scores, read_pairs(said.pairs, features), other, said.seed), indent=2))
        else:
            with said.scores.open("w", newline="", encoding="utf-8") as file:
                rows = csv.writer(file)
                rows.writerow(["sha256", "metric", "score"])
                rows.writerows(
                    [name, said.metric, repr(float(score))]
                    for name, score in zip(features.ids, scores, strict=True)
                )
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
