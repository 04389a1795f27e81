// Suggested masks: nothing enters the annotation without an act of taking it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { toPayload } from "../../../static/js/defect/answer.ts";
import { clickAction, keyAction } from "../../../static/js/defect/keys.ts";
import { dispatch, openState } from "../../../static/js/defect/state.ts";
import { proposalsIn } from "../../../static/js/defect/suggestions.ts";
import { Chance } from "../replay/chance.js";
import { pressOf } from "../replay/person.js";

const EMPTY = { size: [9, 9], defects: [], effect: null, no_defect: false, flag: null, note: "" };
/** Four columns of six pixels, and the same without its lowest row. */
const [SQUARE, SMALLER] = ["06300000]1", "05400000]1"];
const SUGGESTION = { run: 4, source: "segmenter 1.0", masks: [{ mask: { counts: SQUARE }, kind: "logical" }] };
const opened = (suggestion = SUGGESTION) => openState(EMPTY, { suggestion });
const click = (state, target) => dispatch(state, clickAction(target)).state;
const left = ({ suggestion, answer }) => proposalsIn(suggestion, answer).map(({ id }) => id);

test("taking one makes it a defect of that kind that still has to be described", () => {
  const state = click(opened(), "suggestion:0");
  assert.deepEqual(toPayload(state.answer).defects, [{ id: "d1", mask: { size: [9, 9], counts: SQUARE }, kind: "logical", text: "" }]);
  assert.equal(dispatch(state, { type: "submit" }).state.message.code, "incomplete");
  assert.deepEqual([left(opened()), left(state)], [["s1"], []]);
  // Corrected, it stays in its place; undone, it is open again.
  const corrected = dispatch(state, { type: "mask", id: "d1", mask: SMALLER, area: 20, box: [0, 0, 4, 5], centre: [2, 2.5] }).state;
  assert.deepEqual(left(corrected), []);
  assert.deepEqual(left(dispatch(dispatch(corrected, { type: "undo" }).state, { type: "undo" }).state), ["s1"]);
});

test("a rejected one is drawn no more, and can be looked at again", () => {
  const rejected = click(opened(), "reject:0");
  assert.deepEqual([rejected.rejected, rejected.past, toPayload(rejected.answer)], [[0], [], EMPTY]);
  assert.deepEqual(click(rejected, "reject:0").rejected, []);
});

test("where none is shown, there is none to take, in both arms alike", () => {
  for (const none of [null, undefined]) assert.deepEqual(toPayload(click(opened(none ?? null), "suggestion:0").answer), EMPTY);
  assert.deepEqual(toPayload(click(opened(), "suggestion:1").answer), EMPTY);
});

test("1,000 random key sequences: no suggested mask without an act of taking", () => {
  const keys = [..."pbehatlwzyfvnsq0123456789[]+-".split(""), "Enter", "Shift+Enter", "Escape", "Backspace", "Delete", "ArrowLeft", "ArrowDown", "Control+Enter"];
  for (let seed = 0; seed < 1000; seed += 1) {
    const chance = new Chance(seed);
    let [withIt, without] = [opened(), openState(EMPTY)];
    for (let i = 0; i < 40; i += 1) {
      const action = keyAction(pressOf(chance.of(keys)), { inArea: true });
      if (!action) continue;
      withIt = dispatch(withIt, action).state;
      without = dispatch(without, action).state;
    }
    assert.deepEqual(toPayload(withIt.answer), toPayload(without.answer), `seed ${seed}`);
  }
});
