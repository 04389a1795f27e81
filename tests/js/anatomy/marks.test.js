// Marks and their totals: sections 3 to 5 and 7 of the specification.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marksIn, totalOf } from "../../../static/js/anatomy/answer.ts";
import { toPayload } from "../../../static/js/anatomy/payload.ts";
import { visitedCells } from "../../../static/js/anatomy/state.ts";
import { entryText } from "../../../static/js/anatomy/typing.ts";
import { cellAt } from "../../../static/js/labelling/taxonomy.ts";
import { Person, typed } from "../replay/person.js";

const after = (text, payload) => new Person(payload).take(typed(text));
const said = (person) => person.state.message.text;
// "1/3 b own" for each mark of a cell
const marks = (person, key) =>
  marksIn(person.state.answer, cellAt(key)).map(
    (mark) =>
      `${mark.affected}/${totalOf(person.state.answer, mark) ?? "?"} ${mark.severity}${mark.ownTotal ? " own" : ""}`,
  );

test("a severity key adds one, with Shift it takes one off", () => {
  const person = after("2 g h b b c");
  assert.deepEqual(marks(person, "configuration.hands"), ["2/4 b", "1/4 c"]);
  assert.deepEqual(marks(person.take(typed("Shift+b")), "configuration.hands"), ["1/4 b", "1/4 c"]);
  assert.deepEqual(marks(person.take(typed("Shift+b Shift+b")), "configuration.hands"), ["1/4 c"]);
  assert.equal(said(person), "Total: 4 visible hands. Change it with +, −, or / and a number.");
});

test("a number makes it that many", () => {
  assert.deepEqual(marks(after("2 g h b 3 b"), "configuration.hands"), ["3/4 b"]);
  assert.deepEqual(marks(after("2 l 1 2 b"), "missing.limbs"), []);
  assert.deepEqual(marks(after("5 l 1 2 b"), "missing.limbs"), ["12/20 b"]);
});

test("a typed total equal to the count is nothing special", () => {
  const person = after("2 g h 2 / 4 b");
  assert.deepEqual(marks(person, "configuration.hands"), ["2/4 b"]);
  assert.equal(person.state.answer.counts.visible.hands.set, false);
});

test("a typed total sets a count that no other mark uses", () => {
  const person = after("2 g h 2 / 7 b");
  assert.deepEqual(marks(person, "configuration.hands"), ["2/7 b"]);
  assert.equal(said(person), "7 visible hands for 2 people? At most 4 are likely.");
  assert.deepEqual(marks(person.take(typed("2 / 5 b")), "configuration.hands"), ["2/5 b"]);
});

test("otherwise it is the mark's own, and no other mark changes", () => {
  const person = after("2 g h b 2 / 7 c");
  assert.deepEqual(marks(person, "configuration.hands"), ["1/4 b", "2/7 c own"]);
  assert.deepEqual(marks(person.take(typed("/ 7 c")), "configuration.hands"), ["1/4 b", "3/7 c own"]);
  assert.deepEqual(marks(person.take(typed("c 2 c +")), "configuration.hands"), ["1/5 b", "2/7 c own"]);
  assert.deepEqual(marks(person.take(typed("2 / 5 c +")), "configuration.hands"), ["1/6 b", "2/6 c"]);
});

test("the panel's total is this mark's only, even where the count is free", () => {
  const person = new Person()
    .click("people:2")
    .click("zone:missing.feet.a")
    .click("panel:missing.feet.a.total")
    .pick(3);
  assert.deepEqual(marks(person, "missing.feet"), ["1/3 a own"]);
  assert.equal(said(person), "Total 3 here, 4 elsewhere for expected feet. Kept as typed.");
  assert.deepEqual(marks(person.click("panel:missing.feet.a.total").pick(4), "missing.feet"), ["1/4 a"]);
});

test("the keypads of a zone and of the panel's total know their limits", () => {
  const person = new Person().click("people:1").click("zone:missing.hands.b", 2).menu("zone:missing.hands.b");
  assert.deepEqual(person.keypad, { target: "zone:missing.hands.b", least: 0, most: 2, current: 2 });
  person.click("panel:missing.hands.b.total");
  assert.deepEqual(person.keypad, { target: "panel:missing.hands.b.total", least: 2, most: 29, current: 2 });
  assert.deepEqual(marks(person.menu("zone:missing.hands.b").pick(0), "missing.hands"), []);
});

test("zone, panel and Shift click", () => {
  const person = new Person().click("people:2").click("zone:extra.face.c", 2);
  assert.deepEqual([person.state.place, person.state.cell.key], [{ at: "cell" }, "extra.face"]);
  person.shift("zone:extra.face.c");
  person.click("panel:extra.face.c.+").click("panel:extra.face.c.-");
  assert.deepEqual(marks(person, "extra.face"), ["1/2 c"]);
  assert.deepEqual(marks(person.click("panel:extra.face.c.-"), "extra.face"), []);
});

test("a mark without any total waits, takes the count when it comes, and cannot be submitted", () => {
  const person = after("h b l c");
  assert.deepEqual(marks(person, "missing.hands"), ["1/? b"]);
  assert.equal(said(person), "No count yet for limbs. Enter the number of people (W), or type / and the total.");
  person.take(typed("Ctrl+Enter"));
  assert.equal(
    said(person),
    "Not submitted: Missing · Limbs has no total. Enter the number of people (W), or type / and the total.",
  );
  assert.deepEqual([person.state.cell.key, person.submitted], ["missing.limbs", false]);
  assert.deepEqual(marks(person.take(typed("/ 3 Enter w 2")), "missing.limbs"), ["1/3 c"]);
  assert.deepEqual(marks(person, "missing.hands"), ["1/4 b"]);
  assert.equal(person.take(typed("Ctrl+Enter")).submitted, true);
});

test("a total typed where marks wait is theirs too, unless they do not fit", () => {
  assert.deepEqual(marks(after("h b / 3 c"), "missing.hands"), ["1/3 b", "1/3 c"]);
  assert.deepEqual(marks(after("h 5 b / 3 c"), "missing.hands"), ["5/? b", "1/3 c own"]);
});

test("Backspace drops a typed character, then takes one off the mark last touched here", () => {
  const person = after("2 g h b b c 3 / 7 Backspace Backspace Backspace");
  assert.equal(person.state.typed, null);
  person.take(typed("Backspace"));
  assert.deepEqual(marks(person, "configuration.hands"), ["2/4 b"]);
  person.take(typed("Backspace"));
  assert.deepEqual(marks(person, "configuration.hands"), ["1/4 b"]);
  person.take(typed("m a g Backspace"));
  assert.deepEqual([marks(person, "missing.hands"), marks(person, "configuration.hands")], [["1/4 a"], []]);
  assert.deepEqual(toPayload(person.take(typed("Backspace")).state.answer).marks.length, 1);
});

test("Delete empties the cell", () => {
  const person = after("2 g h b b c Delete");
  assert.deepEqual(marks(person, "configuration.hands"), []);
  assert.equal(said(person), "Configuration · Hands: empty");
});

test("Enter takes the offer after a refusal", () => {
  const person = after("2 g h - b c 4 c");
  assert.equal(said(person), "4 of 3 is not possible: you counted 3 visible hands.");
  assert.deepEqual(
    person.state.message.offers.map(({ label, key }) => [label, key]),
    [["Set visible hands to 4", "Enter"]],
  );
  assert.deepEqual(marks(person, "configuration.hands"), ["1/3 b", "1/3 c"]);
  assert.deepEqual(marks(person.take(typed("Enter")), "configuration.hands"), ["1/4 b", "4/4 c"]);
  assert.deepEqual(marks(person.take(typed("Ctrl+z")), "configuration.hands"), ["1/3 b", "1/3 c"]);
});

test("an offer for a total of the mark's own raises that one only", () => {
  const person = after("2 g h b 3 / 2 c");
  assert.deepEqual(
    person.state.message.offers.map(({ label }) => label),
    ["Set this total to 3"],
  );
  assert.deepEqual(marks(person.take(typed("Enter")), "configuration.hands"), ["1/4 b", "3/3 c own"]);
});

test("an offer is gone once something else is done", () => {
  assert.deepEqual(marks(after("2 g h 5 b ArrowLeft ArrowRight Enter"), "configuration.hands"), []);
  assert.deepEqual(marks(after("2 g h 5 b Escape Enter"), "configuration.hands"), []);
});

test("what is typed shows, and is forgotten when the focus leaves or on Escape", () => {
  const person = after("2 g h 3");
  const shown = (keys) => entryText(person.take(typed(keys)).state.typed);
  assert.deepEqual(
    [shown("/"), shown("7"), shown("Backspace Backspace Backspace /"), shown("7")],
    ["3 of …", "3 of 7 …", "of …", "of 7 …"],
  );
  assert.equal(said(person), "of 7 … Enter sets the count, or a b c");
  assert.equal(person.take(typed("Escape")).state.typed, null);
  assert.equal(person.take(typed("3 l")).state.typed, null);
  assert.equal(person.take(typed("3 Tab")).state.typed, null);
  assert.equal(after("2 g h 1 / 5 Enter").state.typed, "1/5");
  assert.deepEqual(toPayload(after("2 g h 1 / 5 Tab").state.answer).marks, []);
});

test("numbers stay whole and within 99", () => {
  const person = after("2 g h 9 9 9");
  assert.deepEqual(
    [person.state.typed, said(person)],
    ["99", "Enter a whole number from 0 to 99, without a leading 0."],
  );
  assert.equal(after("2 h / 0 3").state.typed, "/0");
  for (const affected of [-1, 1.5, 100, NaN]) {
    const refused = new Person({ people: 2 }).act({
      type: "mark.put",
      cell: cellAt("missing.hands"),
      severity: "a",
      affected,
    });
    assert.equal(said(refused), "Enter a whole number from 0 to 99.");
    assert.equal(refused.state.answer.marks.length, 0);
  }
});

test("a letter for a cell moves one coordinate; a severity on the people does nothing", () => {
  const person = after("h");
  assert.equal(person.state.cell.key, "missing.hands");
  assert.equal(person.take(typed("o")).state.cell.key, "orientation.hands");
  assert.equal(person.take(typed("t")).state.cell.key, "orientation.torso");
  assert.deepEqual(after("2 b").state.answer.marks, []);
  assert.equal(said(after("2 b")), "Choose a cell first: M X G O P, then T L F H E.");
});

test("arrows wrap, Home and End go to the ends, W to the people", () => {
  const key = (text) => after(text).state.cell.key;
  assert.equal(key("t ArrowLeft"), "proportion.torso");
  assert.equal(key("t ArrowUp"), "missing.face");
  assert.equal(key("e p ArrowRight ArrowDown"), "missing.torso");
  assert.equal(key("End"), "proportion.face");
  assert.equal(key("End Home"), "missing.torso");
  assert.deepEqual(after("End w").state.place, { at: "people" });
  assert.equal(key("End w"), "proportion.face");
});

test("25 Tabs from the people visit the cells in the prescribed order", () => {
  const person = new Person();
  const visited = Array.from({ length: 25 }, () => person.take(typed("Tab")).state.cell.key);
  assert.equal(
    visited.join(" "),
    ["missing", "extra", "configuration", "orientation", "proportion"]
      .flatMap((type) => ["torso", "limbs", "feet", "hands", "face"].map((part) => `${type}.${part}`))
      .join(" "),
  );
  assert.deepEqual(person.take(typed("Tab")).state.place, { at: "elsewhere" });
});

test("guided, Enter walks the cells and stops at the last", () => {
  const person = new Person({}, { guided: true }).take(typed("2 Enter"));
  assert.equal(person.state.cell.key, "missing.torso");
  assert.equal(person.take(Array(30).fill(["key", "Enter"])).state.cell.key, "proportion.face");
  assert.equal(said(person), "Last cell. Ctrl Enter submits.");
  assert.equal(person.act({ type: "walk", by: -1 }).state.cell.key, "proportion.hands");
  assert.equal(after("2 h Enter").state.cell.key, "missing.hands");
});

test("guided: required, an annotation is submitted once all cells were visited in order", () => {
  const person = new Person({}, { required: true, visited: ["missing.torso"] }).take(typed("2 Enter Enter"));
  assert.deepEqual(visitedCells(person.state), ["missing.torso", "missing.limbs"]);
  assert.equal(person.take(typed("p e 0 Ctrl+Enter")).submitted, false);
  assert.equal(said(person), "Not submitted: 2 of 25 cells visited. Next: Missing · Feet. Enter goes on.");
  assert.equal(person.take(Array(22).fill(["key", "Enter"])).take(typed("Ctrl+Enter")).submitted, true);
  assert.equal(visitedCells(person.state).length, 25);
  assert.deepEqual(visitedCells(after("2 h Enter").state), []);
});

test("no errors, on and off, and a mark entered later clears it", () => {
  const person = after("0");
  assert.equal(person.state.answer.noErrors, true);
  assert.equal(person.take(typed("0")).state.answer.noErrors, false);
  assert.equal(person.take(typed("0 2 h b")).state.answer.noErrors, false);
  assert.equal(after("0 Ctrl+Enter").submitted, true);
});

test("imports: totals of their own, nobody and nothing counted", () => {
  const imported = {
    people: null,
    counts: { expected: {}, visible: {} },
    counts_set: { expected: [], visible: [] },
    marks: [
      { type: "missing", part: "limbs", severity: "c", affected: 2, total: 16, own_total: true, pins: [] },
    ],
    no_errors: false,
    flag: null,
    note: "",
  };
  const person = new Person(imported);
  assert.deepEqual(toPayload(person.state.answer), imported);
  assert.deepEqual(marks(person.take(typed("l c b")), "missing.limbs"), ["1/? b", "3/16 c own"]);
});
