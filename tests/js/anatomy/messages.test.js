// Every text of section 6, as the page would come to say it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { warningsIn } from "../../../static/js/anatomy/warnings.ts";
import { saveText } from "../../../static/js/labelling/save_texts.ts";
import { cellAt } from "../../../static/js/labelling/taxonomy.ts";
import { Person, typed } from "../replay/person.js";
// tests/browser/labelling/test_messages.py reads it, too.
import ROWS from "./messages.json";

const after = (text) => new Person().take(typed(text));
const line = ({ state: { message } }) => [message.kind, message.text];
const offers = ({ state: { message } }) => message.offers.map(({ label, key }) => `${label} ${key}`);

// When, the keys, kind, text, and the buttons beside it.

for (const [when, keys, kind, text, buttons] of ROWS)
  test(when, () => {
    const person = keys ? after(keys) : new Person();
    assert.deepEqual([...line(person), offers(person)], [kind, text, buttons]);
  });

test("offers", () => {
  assert.equal(after("2 Ctrl+Enter").offer(0).state.answer.noErrors, true);
  assert.deepEqual(after("2 Ctrl+Enter").offer(1).effects.at(-1), { type: "open", dialog: "flag" });
});

test("submitted, on the page of the next image", () => {
  const opened = new Person({}, { submitted: { number: 37 } });
  assert.deepEqual(line(opened), ["ok", "Image 37 submitted."]);
  assert.deepEqual(offers(opened), ["Undo Ctrl Z"]);
  assert.deepEqual(opened.offer(0).effects, [{ type: "withdraw" }]);
});

test("offline", () => {
  const person = after("0").act({ type: "submit", offline: true });
  assert.deepEqual(line(person), ["stop", "Not submitted: you are offline. Your draft is kept on this device."]);
  assert.equal(person.submitted, false);
});

test("strong words and key caps are parts of their own", () => {
  const { parts } = after("2 h - g").state.message;
  assert.deepEqual(parts, [
    { style: "plain", text: "Total: " },
    { style: "strong", text: "3 visible hands" },
    { style: "plain", text: ". Change it with " },
    { style: "key", text: "+" },
    { style: "plain", text: ", " },
    { style: "key", text: "−" },
    { style: "plain", text: ", or " },
    { style: "key", text: "/" },
    { style: "plain", text: " and a number." },
  ]);
});

test("a cell with a warning says it again on arrival, and all of them where there are several", () => {
  const person = after("2 h - b 3 c 3 / 4 a y g m");
  assert.equal(person.state.message.text, "Different totals in this cell (3 and 4). Kept as typed.");
  const codes = warningsIn(person.state.answer, cellAt("missing.hands")).map(({ code }) => code);
  assert.deepEqual(codes, ["different_totals", "affected_sum_above_total"]);
});

test("the same refusal twice is said twice", () => {
  const person = after("2 h 5 b");
  const first = person.state.message;
  assert.notEqual(person.take(typed("5 b")).state.message, first);
  assert.equal(person.state.message.text, first.text);
});

test("save states", () => {
  const say = (save) => Object.values(saveText(save)).filter(Boolean).join(" | ");
  assert.deepEqual(
    [
      { state: "untouched" },
      { state: "saving" },
      { state: "saved", time: "10:42:07" },
      { state: "offline" },
      { state: "failed", seconds: 5 },
      { state: "signed_out" },
      { state: "changed" },
      { state: "other_tab" },
      { state: "barred", by: "closed", kept: false },
      { state: "barred", by: "closed", kept: true },
      { state: "barred", by: "withdrawn", kept: true },
      { state: "barred", by: "deleted", kept: true },
      { state: "barred", by: "revealed", kept: false },
    ].map(say),
    [
      "",
      "Saving…",
      "Saved 10:42:07",
      "Offline. Kept on this device | Download",
      "Not saved. Retrying in 5 s | Retry now",
      "Signed out. Kept on this device | Sign in",
      "Changed elsewhere | Compare",
      "Open in another tab | Work here",
      "Batch closed",
      "Batch closed. Kept on this device | Download",
      "Reassigned. Kept on this device | Download",
      "Being deleted. Kept on this device | Download",
      "Revealed",
    ],
  );
});
