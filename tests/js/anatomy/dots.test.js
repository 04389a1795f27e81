// Counting by dots: the number of dots is the visible count, and nothing else follows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { differencesBetween, toPayload } from "../../../static/js/anatomy/payload.ts";
import { Person, typed } from "../replay/person.js";

const after = (text) => new Person().take(typed(text));
const said = ({ state: { message } }) => [message.kind, message.code];
const payload = ({ state }) => toPayload(state.answer);
const hands = (person) => [payload(person).counts.visible.hands, payload(person).counts.expected.hands];
const places = (person, part = "hands") => payload(person).dots?.[part];

test("clicks set dots instead of pins, and their number is the visible count of the row", () => {
  const person = after("2 h d").image(0.41238, 0.633).image(2 / 3, 0.5).image(0, 1);
  assert.deepEqual(places(person), [[0.4124, 0.633], [0.6667, 0.5], [0, 1]]);
  assert.deepEqual(hands(person), [3, 4]);
  assert.deepEqual(payload(person).counts_set, { expected: [], visible: ["hands"] });
  assert.deepEqual(said(person), ["info", "counting"]);
  assert.deepEqual(person.click("dot:hands.1").state.answer.dots.hands?.length, 2);
  assert.deepEqual(places(person), [[0.4124, 0.633], [0, 1]]);
  person.take(typed("Backspace"));
  assert.deepEqual([places(person), hands(person)], [[[0.4124, 0.633]], [1, 4]]);
  person.take(typed("Backspace"));
  assert.deepEqual([payload(person).dots, hands(person)], [undefined, [1, 4]]);
  person.take(typed("Backspace Ctrl+z"));
  assert.deepEqual(places(person), [[0.4124, 0.633]]);
});

test("a cross by keys: arrows move it, Enter sets, other rows get their own dots, D or Escape ends", () => {
  const person = after("2 h d ArrowRight ArrowDown Enter Alt+ArrowLeft Enter f Enter");
  assert.deepEqual(payload(person).dots, { feet: [[0.5088, 0.52]], hands: [[0.51, 0.52], [0.5088, 0.52]] });
  assert.equal(person.take(typed("d")).state.counting, null);
  assert.equal(person.image(0.1, 0.1).state.message.code, "nothing_to_pin");
  assert.deepEqual(person.take(typed("d")).state.counting, { cross: { x: 0.5088, y: 0.52 } });
  assert.equal(person.take(typed("Escape")).state.counting, null);
  assert.equal(person.click("dots").state.counting?.cross?.x, 0.5088);
  // After a click the first Enter only shows the cross again.
  person.image(0.2, 0.3);
  assert.equal(person.state.counting?.cross, null);
  assert.equal(places(person.take(typed("Enter")), "feet")?.length, 2);
  assert.equal(places(person.take(typed("Enter")), "feet")?.length, 3);
  const edge = after("1 h d").take(Array(70).fill(["key", "ArrowLeft"])).take(typed("Enter"));
  assert.deepEqual(places(edge), [[0, 0.5]]);
});

test("a count that is typed keeps the dots and is doubted, nothing more", () => {
  const person = after("2 g h d").image(0.1, 0.1).image(0.2, 0.2).take(typed("d / 5 Enter"));
  assert.deepEqual([places(person)?.length, hands(person)[0]], [2, 5]);
  const alike = after("2 g h + d").image(0.1, 0.1).take(typed("d / 4 Enter"));
  assert.deepEqual(said(alike), ["warn", "dots_differ"]);
  assert.equal(alike.state.message.text, "1 dot, 4 entered for visible hands. Kept as typed.");
  assert.equal(alike.take(typed("Ctrl+Enter")).state.message.code, "empty");
});

test("marks that need more than the dots keep the count until there are as many", () => {
  const person = after("2 g h 3 b d").image(0.1, 0.1).image(0.2, 0.2);
  assert.deepEqual([hands(person), person.state.message.code], [[4, 4], "dots_differ"]);
  assert.deepEqual(hands(person.image(0.3, 0.3)), [3, 4]);
});

test("at most 200 dots of a part; more than 99 leave the count", () => {
  const person = after("2 h d");
  for (let dot = 0; dot < 201; dot += 1) person.image(dot / 201, 0.5);
  assert.deepEqual([places(person)?.length, hands(person)[0], said(person)], [200, 99, ["stop", "dots_full"]]);
});

test("payloads without dots have no key, those with dots come back as they were", () => {
  assert.equal("dots" in payload(after("2 h d d")), false);
  const given = payload(after("2 e d").image(0.25, 0.5));
  const again = new Person(given);
  assert.deepEqual([payload(again), again.state.counting], [given, null]);
  assert.deepEqual(
    differencesBetween(again.state.answer, new Person({ ...given, dots: { face: [[0.25, 0.75]] } }).state.answer),
    [{ what: "Face, dots", mine: "1: 0.25, 0.5", theirs: "1: 0.25, 0.75" }],
  );
});

test("a dot of another row, or of none, cannot be removed; pin mode ends counting", () => {
  const person = after("2 h b d").image(0.1, 0.1);
  assert.equal(places(person.click("dot:hands.4"))?.length, 1);
  assert.equal(person.take(typed(".")).state.counting, null);
  assert.equal(places(person.click("dot:hands.0"))?.length, 1);
});
