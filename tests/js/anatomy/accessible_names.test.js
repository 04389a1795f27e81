// Accessible names.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cellName, countName, countStepName, pinName, zoneName } from "../../../static/js/anatomy/accessible_names.ts";
import { cellAt } from "../../../static/js/labelling/taxonomy.ts";
import { Person, typed } from "../replay/person.js";

const answerOf = (text) => new Person().take(typed(text)).state.answer;

test("names begin with what can be seen", () => {
  const answer = answerOf("2 h - g b 3 c");
  const cell = cellAt("configuration.hands");
  assert.equal(
    cellName(answer, cell),
    "Configuration, Hands: 1 of 3 moderate, 3 of 3 severe. Check: 1 + 3 = 4 affected, but 3 visible hands. Kept; correct if one part was counted twice.",
  );
  assert.equal(cellName(answer, cellAt("extra.face")), "Extra, Face: empty");
  assert.equal(zoneName(answer, cell, "c"), "3/3c severe, add one");
  assert.equal(zoneName(answer, cell, "a"), "a mild, add one");
  assert.equal(countName(answer, "visible", "hands"), "3 visible hands, guess, change");
  assert.equal(countStepName(answer, "expected", "hands", -1), "− one fewer, 3 expected hands");
  assert.equal(countName(answerOf("h"), "expected", "feet"), "–, expected feet, change");
  assert.equal(pinName(cell, "c", 0, 2), "c, pin 1 of 2 on Configuration · Hands");
});
