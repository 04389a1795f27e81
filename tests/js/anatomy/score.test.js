// The running score.

import assert from "node:assert/strict";
import { test } from "node:test";
import { decimalText, readRatio, readWeights, scoreOf } from "../../../static/js/anatomy/score.ts";
import { Person, PUBLISHED_WEIGHTS, typed } from "../replay/person.js";
import { ratioText } from "../replay/ratios.js";

const answerOf = (text) => new Person().take(typed(text)).state.answer;

test("scores are exact", () => {
  const { score, open } = scoreOf(answerOf("2 h / 3 b l / 7 a"), PUBLISHED_WEIGHTS);
  assert.deepEqual([ratioText(score), open], ["41/210", 0]);
  assert.deepEqual(scoreOf(answerOf("h b"), PUBLISHED_WEIGHTS), { score: { n: 0n, d: 1n }, open: 1 });
  const weights = readWeights({ a: "0.25", b: "1/3", c: "2" });
  assert.equal(ratioText(scoreOf(answerOf("2 h a b c"), weights).score), "31/48");
  assert.deepEqual(
    ["2/3", "1/2000", "1999/2000", "0"].map((text) => decimalText(readRatio(text))),
    ["0.667", "0.001", "1.000", "0.000"],
  );
  assert.equal(ratioText(readRatio("4/2")), "2");
  for (const text of ["", "x", "-1", "1/0", ".5", "1e3"])
    assert.throws(() => readRatio(text), RangeError, text);
});
