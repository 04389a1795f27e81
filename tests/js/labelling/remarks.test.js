// Note, flag and skip.

import assert from "node:assert/strict";
import { test } from "node:test";
import { differencesBetween, toPayload } from "../../../static/js/anatomy/payload.ts";
import { Person, typed } from "../replay/person.js";

const said = (person) => person.state.message.text;

test("a note is kept without what cannot be stored, and up to 2000 characters", () => {
  assert.equal(new Person().note("a\0b\ud800c👍").state.answer.note, "abc👍");
  assert.equal(new Person().note("👍".repeat(2000)).state.answer.note.length, 4000);
  const long = new Person().note("x".repeat(2001));
  assert.deepEqual(
    [long.state.answer.note, said(long)],
    ["", "Refused: 2001 characters; the limit is 2000."],
  );
});

test("a flag needs a reason, stays with the answer, and can go", () => {
  const person = new Person().flag("ambiguous", "left hand?");
  assert.deepEqual(person.state.answer.flag, { reason: "ambiguous", note: "left hand?" });
  assert.equal(person.act({ type: "unflag" }).state.answer.flag, null);
  const none = new Person().flag("", "left hand?");
  assert.deepEqual([none.state.answer.flag, said(none)], [null, "Refused: choose a reason."]);
  assert.equal(
    said(new Person().flag("other", "x".repeat(2001))),
    "Refused: 2001 characters; the limit is 2000.",
  );
});

test("a flag alone is no answer", () => {
  const person = new Person().flag("ambiguous", "").take(typed("Ctrl+Enter"));
  assert.equal(said(person), "Not submitted: the annotation is empty.");
});

test("skipping closes without an answer", () => {
  const person = new Person().skip("no_body", "");
  assert.deepEqual(person.effects, [{ type: "skip", reason: "no_body", note: "" }]);
  assert.deepEqual(new Person().skip("tired", "").effects, []);
});

test("tags are ticked one by one, without a flag, and a removed tag stays in the payload", () => {
  const person = new Person({ tags: [1] }).act({ type: "tag", tag: 3, on: true }).act({ type: "tag", tag: 2, on: true });
  assert.deepEqual([toPayload(person.state.answer).tags, person.state.answer.flag], [[1, 2, 3], null]);
  assert.equal(said(person), "Tagged: twinning.");
  assert.deepEqual(person.act({ type: "tag", tag: 3, on: false }).state.answer.tags, [1, 2]);
  assert.equal(said(person), "Tag removed: stereotype.");
  assert.deepEqual(person.act({ type: "undo" }).state.answer.tags, [1, 2, 3]);
  assert.equal("tags" in toPayload(new Person().state.answer), false);
});

test("tags alone are no answer", () => {
  const person = new Person().act({ type: "tag", tag: 2, on: true }).take(typed("Ctrl+Enter"));
  assert.equal(said(person), "Not submitted: the annotation is empty.");
});

test("two versions differ by the names of their tags", () => {
  const [mine, theirs] = [[2, 3], [1]].map((tags) => new Person({ tags }).state.answer);
  assert.deepEqual(differencesBetween(mine, theirs), [{ what: "Tags", mine: "twinning, stereotype", theirs: "" }]);
});
