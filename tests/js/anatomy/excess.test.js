// More affected parts than there are, asked about once; "no errors" over marks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cellName } from "../../../static/js/anatomy/accessible_names.ts";
import { toPayload } from "../../../static/js/anatomy/payload.ts";
import { confirmedCells, openWarningsIn } from "../../../static/js/anatomy/warnings.ts";
import { warningsOf } from "../replay/warnings.js";
import { cellAt } from "../../../static/js/labelling/taxonomy.ts";
import { Person, typed } from "../replay/person.js";

const HANDS = cellAt("configuration.hands");
const EXCESS = "2 h - g b 3 c";
const after = (text, options) => new Person({}, options).take(typed(text));
const offers = ({ state: { message } }) => message.offers.map(({ label, key }) => `${label} (${key})`);
const code = ({ state: { message } }) => message.code;

test("two answers, and the marks stay whichever is taken", () => {
  const person = after(EXCESS);
  assert.deepEqual(offers(person), ["Change marks (Enter)", "Yes, two errors (Y)"]);
  const { marks } = toPayload(person.state.answer);
  assert.deepEqual(toPayload(after(`${EXCESS} y`).state.answer).marks, marks);
  assert.deepEqual(toPayload(after(`${EXCESS} Enter`).state.answer).marks, marks);
});

test("submitting asks too, goes to the cell, and goes on after a yes", () => {
  const person = after(`${EXCESS} m t Ctrl+Enter`);
  assert.equal(person.submitted, false);
  assert.equal(person.state.cell, HANDS);
  assert.match(person.state.message.text, /^Configuration · Hands: 1 \+ 3 = 4 /);
  assert.equal(person.take(typed("Ctrl+Enter")).submitted, false);
  assert.ok(person.take(typed("y")).submitted);
  assert.equal(after(`${EXCESS} Ctrl+Enter Enter`).submitted, false);
});

test("every cell in doubt is asked about", () => {
  const person = after(`${EXCESS} m 2 b 2 c Ctrl+Enter y`);
  assert.deepEqual([person.submitted, code(person)], [false, "affected_sum_above_total"]);
  assert.ok(person.take(typed("y")).submitted);
});

test("asked once: a confirmed cell is no warning any more, for these numbers", () => {
  const person = after(`${EXCESS} y`);
  assert.deepEqual(confirmedCells(person.state.answer), ["configuration.hands"]);
  assert.deepEqual(openWarningsIn(person.state.answer, HANDS), []);
  assert.doesNotMatch(cellName(person.state.answer, HANDS), /Check/);
  assert.equal(code(person.take(typed("m g"))), "counted");
  assert.ok(after(`${EXCESS} y Ctrl+Enter`).submitted);
  assert.equal(code(person.take(typed("b"))), "affected_sum_above_total");
  assert.deepEqual(confirmedCells(person.state.answer), []);
});

test("the server is told of the sum, confirmed or not", () => {
  const codes = (person) => warningsOf(person.state.answer).map((warning) => warning.code);
  assert.deepEqual(codes(after(`${EXCESS} y`)), ["affected_sum_above_total"]);
  assert.deepEqual(codes(after(EXCESS)), ["affected_sum_above_total"]);
});

test("a confirmation is a step of its own, and comes back with the stored draft", () => {
  const person = after(`${EXCESS} y Ctrl+z`);
  assert.deepEqual(confirmedCells(person.state.answer), []);
  assert.equal(toPayload(person.state.answer).marks.length, 2);
  const stored = toPayload(after(EXCESS).state.answer);
  const again = new Person(stored, { confirmed: ["configuration.hands", "missing.face"] });
  assert.deepEqual(confirmedCells(again.state.answer), ["configuration.hands"]);
});

test("Y does nothing unless it is asked for", () => {
  const person = after("2 h b");
  const { state } = person;
  assert.equal(person.take(typed("y")).state, state);
});

test("no errors over marks offers to clear them, and undo brings them back", () => {
  const person = after("2 h b e a 0");
  assert.deepEqual(offers(person), ["Clear marks, set “No errors” (Y)"]);
  assert.equal(person.state.answer.marks.length, 2);
  assert.equal(after("2 h b e a 0 Enter").state.answer.marks.length, 2);
  person.take(typed("y"));
  assert.deepEqual([person.state.answer.marks.length, person.state.answer.noErrors], [0, true]);
  person.take(typed("Ctrl+z"));
  assert.deepEqual([person.state.answer.marks.length, person.state.answer.noErrors], [2, false]);
});
