// People, guesses and corrections: section 3 of the specification.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countName, countStepName } from "../../../static/js/anatomy/accessible_names.ts";
import { pickAction } from "../../../static/js/anatomy/pointer.ts";
import { Person, typed } from "../replay/person.js";

const count = (person, kind, part) => person.state.answer.counts[kind][part];
const guess = (value) => ({ value, set: false });
const corrected = (value) => ({ value, set: true });
const after = (text) => new Person().take(typed(text));
const said = (person) => person.state.message.text;

test("people fill both columns with 1, 4, 2, 2, 1 per person, as guesses", () => {
  const person = after("3");
  for (const kind of ["expected", "visible"])
    assert.deepEqual(person.state.answer.counts[kind], {
      torso: guess(3),
      limbs: guess(12),
      feet: guess(6),
      hands: guess(6),
      face: guess(3),
    });
  assert.deepEqual(person.state.place, { at: "people" });
});

test("people go up and down by sign and arrow, from 1 to 99, and a guess never passes 99", () => {
  assert.equal(after("+").state.answer.people, 1);
  assert.equal(after("2 + ArrowRight ArrowDown - ArrowLeft ArrowUp").state.answer.people, 2);
  assert.equal(after("1 -").state.answer.people, 1);
  assert.equal(said(after("1 -")), "Enter a whole number from 1 to 99.");
  const crowd = after("9").take(Array(100).fill(["key", "+"]));
  assert.equal(crowd.state.answer.people, 99);
  assert.deepEqual(count(crowd, "visible", "limbs"), guess(99));
});

test("the button after 8 opens a keypad with a field for numbers up to 99", () => {
  const person = new Person().click("people:2").click("people:+");
  assert.deepEqual(person.keypad, { target: "people:+", least: 9, most: 29, current: 2, upTo: 99 });
  assert.equal(person.pick(23).state.answer.people, 23);
  assert.equal(person.act(pickAction("people:+", 99)).state.answer.people, 99);
});

test("a correction moves its twin along while that is neither set nor used", () => {
  const person = after("2 h -");
  assert.deepEqual(
    [count(person, "expected", "hands"), count(person, "visible", "hands")],
    [corrected(3), guess(3)],
  );
  const set = after("2 g h - m +");
  assert.deepEqual(
    [count(set, "expected", "hands"), count(set, "visible", "hands")],
    [corrected(4), corrected(3)],
  );
  const used = after("2 g h b m -");
  assert.deepEqual(
    [count(used, "expected", "hands"), count(used, "visible", "hands")],
    [corrected(3), guess(4)],
  );
});

test("a twin whose marks have totals of their own follows, but not to 0", () => {
  const own = "2 m h b / 9 c Shift+b";
  assert.deepEqual(count(after(`${own} g +`), "expected", "hands"), guess(5));
  assert.deepEqual(count(after(`${own} g / 0 Enter`), "expected", "hands"), guess(4));
});

test("a twin that a mark waits for does not follow", () => {
  const person = after("m h b g / 3 Enter");
  assert.deepEqual(
    [count(person, "expected", "hands"), count(person, "visible", "hands")],
    [null, corrected(3)],
  );
});

test("a later people change refills guesses only", () => {
  const person = after("2 h / 3 Enter w 4");
  assert.deepEqual(count(person, "expected", "hands"), corrected(3));
  assert.deepEqual(count(person, "visible", "hands"), guess(8));
  assert.deepEqual(count(person, "expected", "limbs"), guess(16));
});

test("a guess that would fall below its marks stays, with a warning", () => {
  const person = after("4 h 7 b w 2");
  assert.deepEqual(count(person, "expected", "hands"), guess(8));
  assert.deepEqual(count(person, "visible", "hands"), guess(4));
  assert.equal(person.state.message.kind, "warn");
  assert.equal(
    said(person),
    "2 people: counts filled in. Kept because of existing marks: 8 expected hands (7 affected).",
  );
});

test("the same with marks that wait for their first count", () => {
  const person = after("h 3 b w 1");
  assert.equal(count(person, "expected", "hands"), null);
  assert.equal(
    said(person),
    "1 person: counts filled in. Kept because of existing marks: expected hands open (3 affected).",
  );
});

test("/ and a number set this row's count, also to what it was", () => {
  assert.deepEqual(count(after("2 l / 4 Enter"), "expected", "limbs"), corrected(4));
  assert.deepEqual(count(after("2 l / 8 Enter"), "expected", "limbs"), corrected(8));
  assert.deepEqual(count(after("2 l / 0 Enter"), "expected", "limbs"), corrected(0));
  assert.equal(said(after("2 l / 4 Enter")), "Count set to 4 expected limbs.");
  assert.equal(said(after("2 g t / 1 Enter")), "Count set to 1 visible torso.");
});

test("an unknown count goes up to 1 and not below 0", () => {
  assert.deepEqual(count(after("l +"), "expected", "limbs"), corrected(1));
  assert.equal(count(after("l -"), "expected", "limbs"), null);
  assert.equal(said(after("l -")), "Enter a whole number from 0 to 99.");
});

test("only the signs of a count change it; its number opens the keypad", () => {
  const person = new Person()
    .click("people:2")
    .click("count:visible.feet.+", 2)
    .click("count:visible.face.-");
  assert.deepEqual(
    [count(person, "visible", "feet"), count(person, "visible", "face")],
    [corrected(6), corrected(1)],
  );
  const { answer } = person.state;
  assert.equal(person.click("count:visible.feet").state.answer, answer);
  assert.deepEqual(person.keypad, { target: "count:visible.feet", least: 0, most: 29, current: 6 });
  assert.deepEqual(count(person.pick(29), "visible", "feet"), corrected(29));
  assert.deepEqual(count(person.menu("count:visible.feet.+").pick(28), "visible", "feet"), corrected(28));
  assert.deepEqual(person.state.place, { at: "people" });
});

test("more visible than expected needs an extra part, fewer a missing one", () => {
  const code = (text) => after(text).state.message.code;
  assert.equal(code("1 h b g h / 3 c"), "counts_contradict");
  assert.equal(
    said(after("1 h b g + y")),
    "3 visible hands, but 2 expected and none marked as extra. Kept as typed.",
  );
  assert.equal(
    said(after("1 x f b g -")),
    "1 visible foot, but 2 expected and none marked as missing. Kept as typed.",
  );
  assert.equal(code("1 x h b g + c"), "marks");
  assert.equal(code("1 m h b g - c"), "marks");
  assert.equal(code("1 m h b x l c g h +"), "count", "an extra arm has an extra hand");
  assert.equal(code("1 x e a m l c g e -"), "counts_contradict", "but takes no face along");
  assert.equal(code("1 x h b g - m"), "counts_contradict", "said again wherever the count is used");
  assert.equal(code("1 x h b g - m b o"), "counted", "until the mark is there");
});

test("a count that contradicts the other one says so in its name", () => {
  const { answer } = after("1 h b g +").state;
  const contradicts = ". Check: 3 visible hands, but 2 expected and none marked as extra. Kept as typed.";
  assert.equal(countName(answer, "visible", "hands"), `3 visible hands, change${contradicts}`);
  assert.equal(countName(answer, "expected", "hands"), `2 expected hands, guess, change${contradicts}`);
  assert.equal(countName(answer, "visible", "feet"), "2 visible feet, guess, change");
  assert.equal(countStepName(answer, "visible", "feet", -1), "− one fewer, 2 visible feet, guess");
});

test("a count that these people are unlikely to have is asked about once", () => {
  const asked = (person) => person.state.message.code === "count_improbable";
  const many = after("5 l / 9 9 Enter");
  assert.equal(said(many), "99 expected limbs for 5 people? At most 20 are likely.");
  assert.deepEqual(count(many.take(typed("y")), "expected", "limbs"), corrected(99));
  assert.equal(asked(many), false);
  assert.deepEqual(count(after("5 l / 9 9 Enter Enter"), "expected", "limbs"), corrected(20));
  assert.deepEqual(
    ["2 h +", "2 h + +", "2 h -", "2 l 3 / 9 9 b", "2 x h b +", "h +"].map((keys) => asked(after(keys))),
    [true, false, false, true, false, false],
  );
});
