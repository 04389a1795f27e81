// Every text of section 6, as the page would come to say it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { saveText } from "../../static/js/labelling/savetexts.js";
import { cellAt } from "../../static/js/labelling/taxonomy.js";
import { warningsIn } from "../../static/js/labelling/warnings.js";
import { Person, typed } from "./person.js";

const after = (text) => new Person().take(typed(text));
const line = ({ state: { message } }) => [message.kind, message.text];
const offers = ({ state: { message } }) => message.offers.map(({ label, key }) => `${label} ${key}`);

const ROWS = [
  ["arrival", "", "info", "Count the people in the image, not those in the prompt."],
  ["people given", "2", "info", "2 people: counts filled in. Correct only those that differ."],
  ["one person", "1", "info", "1 person: counts filled in. Correct only those that differ."],
  ["focus on a cell", "2 h - g", "info", "Total: 3 visible hands. Change it with +, −, or / and a number."],
  ["mark entered", "2 h - g b c", "ok", "Configuration · Hands: 1/3 b, 1/3 c"],
  ["and count set", "2 l / 4 c", "ok", "Missing · Limbs: 1/4 c. Count set to 4 expected limbs."],
  ["sum above total", "2 h - g b 3 c", "stop", "1 + 3 = 4 affected, but only 3 visible hands."],
  ["back in that cell", "2 h - g b 3 c m g", "warn", "1 + 3 = 4 affected, but only 3 visible hands."],
  [
    "sum above a count that was lowered",
    "2 h g 2 b 2 c -",
    "stop",
    "Configuration · Hands: 2 + 2 = 4 affected, but only 3 visible hands.",
  ],
  ["confirmed", "2 h - g b 3 c y", "ok", "Configuration · Hands: one part with two errors, confirmed."],
  [
    "to be corrected",
    "2 h - g b 3 c Enter",
    "info",
    "Configuration · Hands: a number and a b c replaces a mark; Shift and the letter takes one off.",
  ],
  [
    "two totals in a cell",
    "3 l 3 b 4 / 1 6 c",
    "warn",
    "Different totals in this cell (12 and 16). Kept as typed.",
  ],
  [
    "own total differs from the count",
    "5 g l / 1 7 b o / 1 8 b",
    "warn",
    "Total 18 here, 17 elsewhere for visible limbs. Kept as typed.",
  ],
  ["no total yet", "h b", "warn", "No count yet for hands. Enter the number of people (W), or type / and the total."],
  ["no count, no mark", "h", "info", "No count yet for hands. Enter the number of people (W), or type / and the total."],
  [
    "affected > total",
    "2 h - g b c 4 c",
    "stop",
    "Refused: 4 of 3 is impossible. Only 3 visible hands are counted.",
  ],
  ["of a single one", "1 t 2 a", "stop", "Refused: 2 of 1 is impossible. Only 1 expected torso is counted."],
  [
    "total 0",
    "2 g h 1 / 0 b",
    "stop",
    "Refused: a total of 0 is impossible. If none is visible, there is nothing to mark.",
  ],
  [
    "a mark where the count is 0",
    "2 h / 0 Enter b",
    "stop",
    "Refused: a total of 0 is impossible. If none is expected, there is nothing to mark.",
  ],
  ["count below marks", "2 h 2 b / 1 Enter", "stop", "Refused: 2 hands with an error cannot be out of 1."],
  [
    "count 0 below an own total",
    "2 h c / 9 b Shift+c / 0 Enter",
    "stop",
    "Refused: 1 hand with an error cannot be out of 0.",
  ],
  ["no errors over marks", "2 h b e a t c 0", "stop", "Clear the 3 marks?"],
  ["no errors over one mark", "2 h b 0", "stop", "Clear the mark?"],
  ["cleared", "2 h b e a t c 0 y", "ok", "3 marks cleared. No errors in this image."],
  ["empty submit", "2 Ctrl+Enter", "stop", "Not submitted: the annotation is empty."],
  [
    "submit without a total",
    "h b Ctrl+Enter",
    "stop",
    "Not submitted: Missing · Hands has no total. Enter the number of people (W), or type / and the total.",
  ],
];

for (const [when, keys, kind, text] of ROWS)
  test(when, () => assert.deepEqual(line(keys ? after(keys) : new Person()), [kind, text]));

test("offers", () => {
  assert.deepEqual(offers(after("2 h - g b c 4 c")), ["Count 4 Enter"]);
  assert.deepEqual(offers(after("2 Ctrl+Enter")), ["No errors 0", "Flag or skip S"]);
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
  assert.deepEqual(line(person), ["stop", "Not submitted: offline. The draft is kept on this device."]);
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
    ].map(say),
    [
      "",
      "Saving…",
      "Saved 10:42:07",
      "Offline. Kept on this device",
      "Not saved. Retrying in 5 s | Retry now",
      "Signed out. Kept on this device | Sign in",
      "Changed elsewhere | Compare",
      "Open in another tab | Work here",
      "Batch closed",
      "Batch closed. Kept on this device",
      "Reassigned. Kept on this device",
      "Being deleted. Kept on this device",
    ],
  );
});
