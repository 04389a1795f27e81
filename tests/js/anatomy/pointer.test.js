// Clicks and keypads.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clickAction, keypadOf, pickAction } from "../../../static/js/anatomy/pointer.ts";
import { Person, typed } from "../replay/person.js";

const answerOf = (text) => new Person().take(typed(text)).state.answer;

test("clicks that name nothing do nothing", () => {
  for (const target of ["", "nothing", "constructor", "panel:missing.hands.b.total", "count:visible.hands"])
    assert.equal(clickAction(target), null, target);
  assert.equal(keypadOf(answerOf("2"), "people:2"), null);
  assert.equal(pickAction("none", 3), null);
  assert.deepEqual(clickAction("walk.next"), { type: "walk", by: 1 });
});
