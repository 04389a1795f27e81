// The rules of a form of several items: keys, conditions, numbers, undo, and payloads there and back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Form } from "../../../static/js/rating_form/form.ts";
import { keyAction } from "../../../static/js/rating_form/keys.ts";
import { dispatch, openState } from "../../../static/js/rating_form/state.ts";
import { pressOf } from "../replay/person.js";

const PLAIN = { help: "", required: true, choices: [], bounds: ["", "", "1"], when: null };
const POINTS = ["1", "2", "3"].map((point) => [point, point, point]);
const ITEMS = [
  { ...PLAIN, name: "quality", kind: "scale", title: "Quality?", choices: [...POINTS, ["cannot_judge", "Cannot judge", "u"]] },
  { ...PLAIN, name: "hands", kind: "yes_no", title: "Hands?", choices: [["yes", "Yes", "1"], ["no", "No", "0"]] },
  { ...PLAIN, name: "why", kind: "several", title: "Why?", choices: [["missing", "Missing", "1"], ["fused", "Fused", "2"]], when: { item: "hands", is: ["yes"] } },
  { ...PLAIN, name: "natural", kind: "number", title: "Natural?", bounds: ["0", "5", "0.1"] },
  { ...PLAIN, name: "words", kind: "text", title: "Words?", required: false },
];
const FORM = new Form({ items: ITEMS, protocol: "form-people-0123456789ab" });
const FIELD = { inArea: true, inText: true, input: "text" };

class Page {
  state = openState(FORM, {});
  submits = 0;

  act(action) {
    const { state, effects } = dispatch(FORM, this.state, action);
    this.state = state;
    this.submits += effects.filter(({ type }) => type === "submit").length;
    return this;
  }

  press(keys, context = { inArea: true }) {
    for (const name of keys.split(" ")) {
      const action = keyAction(pressOf(name), context);
      if (action) this.act(action);
    }
    return this;
  }

  type = (value) => this.act({ type: "typed", item: this.state.current, value });

  get answers() {
    return FORM.toPayload(this.state.answer).answers;
  }
}

test("keys answer all kinds of items, and Enter submits after the last", () => {
  const page = new Page().press("2 1 1 2 1 Enter").type("3,4").press("Enter Enter");
  assert.deepEqual(page.answers, { quality: 2, hands: true, why: ["fused"], natural: "3.4" });
  assert.equal(page.submits, 1);
  assert.deepEqual(FORM.toPayload(FORM.fromPayload({ answers: page.answers })).answers, page.answers);
});

test("what is not asked is neither missing nor sent", () => {
  const page = new Page().press("u 1 1").act({ type: "answer", item: "hands", value: "no" }).type("5");
  assert.deepEqual(page.answers, { quality: "cannot_judge", hands: false, natural: "5" });
  assert.equal(page.press("Control+Enter").submits, 1);
});

test("a number that is none of the item is named, and not sent", () => {
  for (const text of ["6", "-1", "3.45", "x", "1e3"]) {
    const page = new Page().press("2 0").type(text).press("Enter", FIELD);
    assert.deepEqual([page.submits, page.state.message.text, page.answers.natural], [0, "Enter a number from 0 to 5 in steps of 0.1.", undefined]);
  }
  assert.equal(new Page().press("2 0").type("3").press("4", FIELD).state.answer.said.natural, "3");
});

test("arrows move between items and answers, and submit nothing", () => {
  const page = new Page().press("ArrowRight ArrowRight ArrowDown ArrowLeft");
  assert.deepEqual(page.answers, { quality: 2, hands: false });
  assert.equal(page.press("ArrowUp ArrowUp").state.current, "quality");
});

test("undo takes back answer by answer, and a typed number at once", () => {
  const page = new Page().press("2 0").type("1").type("1.5").press("z");
  assert.deepEqual([page.answers, page.state.current], [{ quality: 2, hands: false }, "natural"]);
  assert.deepEqual(page.press("z z").answers, {});
  assert.deepEqual(new Page().press("2 ArrowUp Backspace").answers, {});
});

test("an answer that needs a reason opens the note, and is submitted with one", () => {
  const form = new Form({ items: [ITEMS[0]], protocol: "defect-verdict", note_with: "cannot_judge" });
  const first = dispatch(form, openState(form, {}), { type: "key", key: "u" });
  assert.deepEqual(first.effects.map(({ type, dialog }) => dialog ?? type), ["note"]);
  assert.equal(first.state.message.code, "note_needed");
  const noted = dispatch(form, first.state, { type: "note", note: "Too dark." });
  assert.deepEqual(dispatch(form, noted.state, { type: "submit" }).effects, [{ type: "submit" }]);
  assert.deepEqual(form.toPayload(noted.state.answer).answers, { quality: "cannot_judge" });
});
