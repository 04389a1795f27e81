// The manual's Fig 8, by keys and by clicks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { toPayload } from "../../../static/js/anatomy/payload.ts";
import { decimalText, scoreOf } from "../../../static/js/anatomy/score.ts";
import { warningsOf } from "../replay/warnings.js";
import { Person, PUBLISHED_WEIGHTS, typed } from "../replay/person.js";
import { ratioText } from "../replay/ratios.js";

const COUNTS = { torso: 2, limbs: 4, feet: 4, hands: 3, face: 2 };
const mark = (type, part, severity, affected, total, pins = []) => ({
  type,
  part,
  severity,
  affected,
  total,
  own_total: false,
  pins,
});
const payload = (countsSet, pins = []) => ({
  people: 2,
  counts: { expected: COUNTS, visible: COUNTS },
  counts_set: { expected: countsSet, visible: [] },
  marks: [
    mark("missing", "limbs", "c", 1, 4),
    mark("missing", "hands", "b", 1, 3),
    mark("missing", "face", "a", 2, 2),
    mark("configuration", "hands", "b", 1, 3),
    mark("configuration", "hands", "c", 1, 3, pins),
  ],
  no_errors: false,
  flag: null,
  note: "",
});

const check = (person, pins) => {
  assert.deepEqual(toPayload(person.state.answer), payload(["limbs", "hands"], pins));
  assert.deepEqual(warningsOf(person.state.answer), []);
  const { score, open } = scoreOf(person.state.answer, PUBLISHED_WEIGHTS);
  assert.deepEqual([ratioText(score), decimalText(score), open], ["67/60", "1.117", 0]);
  assert.equal(person.submitted, true);
};

test("17 keys", () => {
  const person = new Person().take(typed("2 l / 4 c h - b e 2 a g h b c Ctrl+Enter"));
  check(person);
  assert.deepEqual([person.keys, person.clicks], [17, 0]);
  assert.equal(person.state.message.text, "Configuration · Hands: 1/3 b, 1/3 c");
});

test("11 clicks", () => {
  const person = new Person().take([
    ["click", "people:2"],
    ["menu", "count:expected.limbs"],
    ["pick", 4],
    ["click", "zone:missing.limbs.c"],
    ["click", "count:expected.hands.-"],
    ["click", "zone:missing.hands.b"],
    ["click", "zone:missing.face.a", 2],
    ["click", "zone:configuration.hands.b"],
    ["click", "zone:configuration.hands.c"],
    ["click", "submit"],
  ]);
  check(person);
  assert.deepEqual([person.keys, person.clicks], [0, 11]);
});

test("with the pin of the specification, by a click on the image", () => {
  const person = new Person().take(typed("2 l / 4 c h - b e 2 a g h b c"));
  person.image(0.4412, 0.6888);
  assert.equal(person.state.message.text, "Pinned Configuration · Hands · c (1 of 1).");
  check(person.take(typed("Ctrl+Enter")), [{ x: 0.441, y: 0.689 }]);
});
