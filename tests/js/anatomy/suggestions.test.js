// Suggested counts: nothing enters the annotation without an act of taking it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { toPayload } from "../../../static/js/anatomy/payload.ts";
import { suggestedCount, suggestionHint } from "../../../static/js/anatomy/suggestions.ts";
import { Chance } from "../replay/chance.js";
import { Person, typed } from "../replay/person.js";

const SUGGESTION = { run: 4, source: "counter 1.0", people: 2, visible: { hands: 5, feet: 4 } };
const payload = ({ state }) => toPayload(state.answer);
const opened = (given = {}) => new Person(given, { suggestion: SUGGESTION });

test("taking one sets that visible count alone, with Shift all and the people", () => {
  const person = opened().click("suggestion:hands");
  assert.deepEqual(payload(person).counts, { expected: {}, visible: { hands: 5 } });
  assert.deepEqual([person.state.message.code, person.state.message.text], ["suggestion_taken", "Taken: 5 hands."]);
  person.shift("suggestion:hands");
  assert.equal(payload(person).people, 2);
  assert.deepEqual(payload(person).counts.expected, { torso: 2, limbs: 8, feet: 4, hands: 4, face: 2 });
  assert.deepEqual(payload(person).counts.visible, { torso: 2, limbs: 8, feet: 4, hands: 5, face: 2 });
  assert.deepEqual(payload(person.take(typed("Ctrl+z Ctrl+z"))).counts.visible, {});
});

test("what is taken, or typed alike, is suggested no more; another number leaves it", () => {
  const person = opened();
  const left = () => suggestedCount(person.state.suggestion, person.state.answer, "hands");
  assert.equal(left(), 5);
  person.take(typed("g h / 6 Enter"));
  assert.equal(left(), 5);
  person.click("suggestion:hands");
  assert.equal(left(), null);
  assert.equal(suggestedCount(person.state.suggestion, person.state.answer, "face"), null);
});

test("marks that contradict a suggested count keep the entered one", () => {
  const person = opened().take(typed("3 g f 5 b"));
  person.click("suggestion:feet");
  assert.equal(person.state.message.code, "count_below_marks");
  assert.equal(payload(person).counts.visible.feet, 6);
});

test("where none is shown, there is none to take, in both arms alike", () => {
  const person = new Person({}, { suggestion: null }).click("suggestion:hands");
  assert.deepEqual(payload(person).counts.visible, {});
  assert.equal(suggestionHint(null), "No suggestion for this image.");
  assert.match(suggestionHint(SUGGESTION), /counter 1\.0/);
});

test("1,000 random key sequences: no suggested value without an act of taking", () => {
  const keys = [
    ..."wmxgoptlfheabcd0123456789/+-.y".split(""),
    ...["Enter", "Shift+Enter", "Escape", "Backspace", "Delete", "ArrowLeft", "ArrowDown", "Ctrl+z", "Ctrl+y", "Tab"],
  ];
  for (let seed = 0; seed < 1000; seed += 1) {
    const chance = new Chance(seed);
    const pressed = typed(Array.from({ length: 40 }, () => chance.of(keys)).join(" "));
    const [withIt, without] = [opened(), new Person()];
    assert.deepEqual(payload(withIt.take(pressed)), payload(without.take(pressed)), JSON.stringify(pressed));
  }
});
