// Pins: section 5, and pin mode of section 4.

import assert from "node:assert/strict";
import { test } from "node:test";
import { markAt } from "../../../static/js/anatomy/answer.ts";
import { cellAt } from "../../../static/js/labelling/taxonomy.ts";
import { Person, typed } from "../replay/person.js";

const after = (text) => new Person().take(typed(text));
const said = (person) => person.state.message.text;
const pins = (person, key = "configuration.hands", severity = "b") =>
  (markAt(person.state.answer, cellAt(key), severity)?.pins ?? []).map(({ x, y }) => `${x} ${y}`);

test("a click on the image pins the mark last touched, again for the next part", () => {
  const person = after("2 g h b b")
    .image(0.25, 0.5)
    .image(0.333333, 2 / 3);
  assert.deepEqual(pins(person), ["0.25 0.5", "0.333 0.667"]);
  assert.equal(said(person), "Pinned Configuration · Hands · b (2 of 2).");
  assert.equal(said(person.image(0, 0)), "Configuration · Hands · b already has all 2 pins.");
  assert.equal(pins(person).length, 2);
  assert.equal(said(new Person().image(0.5, 0.5)), "Enter an error first, then mark where it is.");
});

test("the focus stays where it was", () => {
  const person = after("2 g h b w").image(0.5, 0.5);
  assert.deepEqual([person.state.place, pins(person)], [{ at: "people" }, ["0.5 0.5"]]);
});

test("pin mode: arrows by 2%, with Shift by 10%, Enter drops, Escape leaves", () => {
  const person = after("2 g h b b . ArrowLeft Shift+ArrowDown Enter");
  assert.deepEqual(pins(person), ["0.48 0.6"]);
  person.take(typed("ArrowUp Enter"));
  assert.deepEqual([pins(person), person.state.pinning], [["0.48 0.6", "0.48 0.58"], null]);
  assert.deepEqual(pins(after("2 g h b . Escape Enter")), []);
  assert.equal(after("2 g h b . .").state.pinning, null);
  assert.equal(after("2 g h b . l").state.pinning, null);
  assert.equal(said(after("2 .")), "Enter an error first, then mark where it is.");
  const edge = after("2 g h b .")
    .take(Array(9).fill(["key", "Shift+ArrowRight"]))
    .take(typed("Enter"));
  assert.deepEqual(pins(edge), ["1 0.5"]);
});

test("the panel's sign chooses the mark", () => {
  const person = after("2 g h b c").click("panel:configuration.hands.b.pin").image(0.1, 0.2);
  assert.deepEqual([pins(person), pins(person, "configuration.hands", "c")], [["0.1 0.2"], []]);
});

test("surplus pins go when the number falls, all of them with the mark", () => {
  const person = after("2 g h b b").image(0.1, 0.1).image(0.2, 0.2).take(typed("Shift+b"));
  assert.deepEqual(pins(person), ["0.1 0.1"]);
  assert.deepEqual(pins(person.take(typed("Ctrl+z"))), ["0.1 0.1", "0.2 0.2"]);
  assert.deepEqual(pins(person.take(typed("Delete b"))), []);
});

test("a click on a pin goes to its cell, Delete there removes it", () => {
  const person = after("2 g h b b").image(0.1, 0.1).image(0.2, 0.2).take(typed("m t"));
  person.click("pin:configuration.hands.b.0");
  assert.deepEqual(
    [person.state.cell.key, person.state.place],
    ["configuration.hands", { at: "pin", severity: "b", index: 0 }],
  );
  assert.deepEqual(pins(person.take(typed("Delete"))), ["0.2 0.2"]);
  assert.deepEqual(person.state.place, { at: "cell" });
});

test("a mark touched and gone is not pinned; the one before it is", () => {
  const person = after("2 g h b m c Shift+c").image(0.4, 0.4);
  assert.deepEqual(pins(person), ["0.4 0.4"]);
});
