// The rules of the page of marks: defects, descriptions, undo, keys, and payloads there and back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { differencesBetween, fromPayload, placeOf, toPayload } from "../../../static/js/defect/answer.ts";
import { clickAction, focusAction, keyAction } from "../../../static/js/defect/keys.ts";
import { dispatch, openState } from "../../../static/js/defect/state.ts";
import { pressOf } from "../replay/person.js";

const SIZE = [9, 9];
const EMPTY = { size: SIZE, defects: [], effect: null, no_defect: false, flag: null, note: "" };
const SQUARE = { mask: "b14500000000000U", area: 24, box: [0, 0, 4, 6], centre: [2, 3] };
const HERE = { inArea: true };

class Page {
  constructor(payload = EMPTY, options = {}) {
    this.state = openState(payload, options);
    this.effects = [];
  }

  act(...actions) {
    for (const action of actions) {
      const { state, effects } = dispatch(this.state, action);
      this.state = state;
      this.effects = effects.map(({ type, dialog }) => dialog ?? type);
    }
    return this;
  }

  press(keys) {
    for (const name of keys.split(" ")) {
      const action = keyAction(pressOf(name), HERE);
      if (action) this.act(action);
    }
    return this;
  }

  mark(id = this.state.active, change = {}) {
    return this.act({ type: "mask", id, ...SQUARE, ...change });
  }

  write(text, id = this.state.active) {
    return this.act({ type: "text", id, text });
  }

  get payload() {
    return toPayload(this.state.answer);
  }

  get code() {
    return this.state.message.code;
  }
}

test("an untouched image is empty, and cannot be submitted", () => {
  const page = new Page();
  assert.deepEqual(page.payload, EMPTY);
  assert.equal(page.press("Control+Enter").state.message.text, "Not submitted: mark at least one defect, or say that there is none.");
  assert.deepEqual(page.effects, []);
});

test("a defect is begun, marked, named, described and submitted", () => {
  const page = new Page().press("a").mark().press("t").write("Two hands are fused.").act({ type: "effect", effect: 2 }).press("Control+Enter");
  assert.deepEqual(page.effects, ["submit"]);
  assert.deepEqual(page.payload.defects, [{ id: "d1", mask: { size: SIZE, counts: SQUARE.mask }, kind: "structural", text: "Two hands are fused." }]);
  assert.equal(page.payload.effect, 2);
});

test("what is missing is said one after the other, in the words of the server", () => {
  const page = new Page().press("a");
  const said = () => page.press("Control+Enter").state.message.text;
  assert.equal(said(), "Defect 1 is not marked yet.");
  assert.equal((page.mark("d1", { area: 9, mask: "small" }), said()), "Defect 1 has 9 pixels; mark at least 16.");
  assert.equal((page.mark(), said()), "Defect 1: structural or logical?");
  assert.equal((page.press("l"), said()), "Defect 1: say in at least 10 characters what is wrong.");
  assert.deepEqual([page.state.writing, page.effects], [true, ["focus"]]);
  assert.equal((page.write("An arm too many."), said()), "Say how the defects affect the image.");
  page.act({ type: "effect", effect: 0 }, { type: "submit", offline: true });
  assert.equal(page.code, "offline");
});

test("the submission goes to the defect that lacks something", () => {
  const page = new Page().press("a").mark().press("a").mark().press("1 t").write("An arm too many.").press("2 Control+Enter");
  assert.equal(page.state.active, "d2");
  page.press("1 Control+Enter");
  assert.equal(page.state.active, "d2");
});

test("no defect and marks contradict each other until the marks are cleared", () => {
  const page = new Page().press("a").mark().press("a 0");
  assert.equal(page.state.message.text, "“No defect” and 2 marked defects contradict each other.");
  page.press("Enter");
  assert.deepEqual([page.payload.no_defect, page.payload.defects], [true, []]);
  assert.deepEqual(page.press("Control+Enter").effects, ["submit"]);
  assert.equal(page.press("z").payload.defects.length, 2);
  assert.equal(page.press("y a").payload.no_defect, false);
});

test("every stroke is a step, the letters of a description are one", () => {
  const page = new Page().press("a").mark().mark("d1", { mask: "other", area: 25 }).write("A").write("An").write("Any");
  assert.equal(page.state.past.length, 4);
  page.press("z");
  assert.equal(page.payload.defects[0].text, "");
  page.press("z");
  assert.equal(page.payload.defects[0].mask.counts, SQUARE.mask);
  page.press("y y");
  assert.equal(page.payload.defects[0].text, "Any");
  page.press("z z z z").press("z");
  assert.deepEqual([page.payload, page.code], [EMPTY, "nothing_to_undo"]);
});

test("undo on an untouched image withdraws the last submission", () => {
  assert.deepEqual(new Page(EMPTY, { submitted: { number: 3 } }).press("z").effects, ["withdraw"]);
});

test("200 steps are kept", () => {
  const page = new Page().press("a");
  for (let at = 0; at < 250; at += 1) page.mark("d1", { mask: `m${at}` });
  assert.equal(page.state.past.length, 200);
});

test("an image has at most 30 defects, and numbers are not used again while others follow", () => {
  const page = new Page();
  for (let at = 0; at < 31; at += 1) page.press("a");
  assert.deepEqual([page.payload.defects.length, page.state.message.text], [30, "An image has at most 30 defects."]);
  page.press("1 Delete");
  assert.equal(page.state.active, "d2");
  assert.equal(page.press("a").state.active, "d31");
  page.press("Delete");
  assert.equal(page.state.active, "d30");
});

test("a mask of a defect that is gone changes nothing", () => {
  const page = new Page().press("a Delete").mark("d1");
  assert.deepEqual(page.payload.defects, []);
  assert.equal(page.press("t").code, "no_active");
  assert.equal(page.press("Delete w").code, "no_active");
});

test("a long description is refused, and what a database cannot store is left out", () => {
  const page = new Page().press("a").write(`fine\0\ud800`).write("x".repeat(1001));
  assert.deepEqual([page.payload.defects[0].text, page.code], ["fine", "long_text"]);
});

test("what only the editor does is told to it, once each", () => {
  const page = new Page().press("a");
  const told = (keys) => dispatch(page.state, keyAction(pressOf(keys), HERE)).effects[0].asked;
  assert.deepEqual(told("h"), { type: "holes" });
  assert.deepEqual(told("+"), { type: "zoom", by: 1 });
  assert.deepEqual(told("ArrowUp"), { type: "arrow", right: 0, down: -1, fine: false });
  assert.deepEqual(told("Enter"), { type: "stamp" });
  assert.deepEqual(told("Enter"), { type: "stamp" });
  assert.deepEqual(told("Escape"), { type: "escape" });
  assert.equal(told("b").type, "escape");
  assert.deepEqual([page.press("b").state.tool, page.press("e").state.erasing, page.press("e p").state.tool], ["brush", true, "outline"]);
});

test("keys mean nothing of this in a text, and Escape leaves it", () => {
  const writing = { inArea: true, inText: true };
  assert.equal(keyAction(pressOf("a"), writing), null);
  assert.equal(keyAction(pressOf("Delete"), writing), null);
  assert.deepEqual(keyAction(pressOf("Escape"), writing), { type: "leave" });
  assert.deepEqual(keyAction(pressOf("Control+Enter"), writing), { type: "submit" });
  const page = new Page().press("a w");
  assert.deepEqual([page.state.writing, page.effects], [true, ["focus"]]);
  assert.equal(page.act({ type: "leave" }).state.writing, false);
});

test("single keys can be turned off; arrows and Enter stay", () => {
  const off = { inArea: true, singleKeys: false };
  assert.equal(keyAction(pressOf("a"), off), null);
  assert.equal(keyAction(pressOf("["), off), null);
  assert.equal(keyAction(pressOf("Enter"), off).type, "enter");
  assert.equal(keyAction(pressOf("ArrowLeft"), off).type, "arrow");
});

test("a held key repeats only what it may", () => {
  const held = (name) => keyAction({ ...pressOf(name), repeat: true }, HERE);
  assert.equal(held("]").type, "resize");
  assert.equal(held("ArrowLeft").type, "arrow");
  assert.deepEqual([held("a"), held("v"), held(" ")], [null, null, null]);
});

test("clicks and the focus", () => {
  assert.deepEqual(clickAction("defect:d2"), { type: "focus.cell", cell: "d2" });
  assert.deepEqual(clickAction("kind:logical"), { type: "kind", kind: "logical" });
  assert.deepEqual(clickAction("effect:3"), { type: "effect", effect: 3 });
  assert.deepEqual(clickAction("zoom.in"), { type: "zoom", by: 1 });
  const text = { closest: () => ({ dataset: { defect: "d2" } }), matches: () => true };
  const elsewhere = { closest: () => null, matches: () => false };
  assert.deepEqual(focusAction(text, { writing: false }), { type: "focus.cell", cell: "d2", writing: true });
  assert.equal(focusAction(elsewhere, { writing: false }), null);
  assert.deepEqual(focusAction(elsewhere, { writing: true }), { type: "focus.away" });
});

test("a payload comes back as it was, with measures", () => {
  const payload = { ...EMPTY, size: [4, 5], defects: [{ id: "d7", mask: { size: [4, 5], counts: "5220003" }, kind: "logical", text: "t" }], tags: [2], note: "n" };
  const answer = fromPayload(payload);
  assert.deepEqual(toPayload(answer), payload);
  assert.deepEqual([answer.defects[0].area, answer.defects[0].box, answer.defects[0].centre], [6, [1, 1, 3, 2], [2.5, 2]]);
  const page = new Page().act({ type: "take", payload });
  assert.deepEqual([page.payload, page.state.active], [payload, "d7"]);
  assert.equal(page.press("z").payload.defects.length, 0);
});

test("places have the words of the server", () => {
  const at = (x, y) => placeOf({ area: 1, box: [0, 0, 1, 1], centre: [x, y] }, SIZE);
  assert.deepEqual([at(1.5, 1.5), at(4.5, 4.5), at(8.5, 3.5), at(4.5, 8)], ["upper left", "centre", "centre right", "lower centre"]);
  assert.equal(placeOf({ area: 0, box: [0, 0, 0, 0], centre: [0, 0] }, SIZE), "");
});

test("differences are told defect by defect", () => {
  const mine = new Page().press("a").mark().press("t").write("Two hands are fused.").state.answer;
  const theirs = new Page().press("0").state.answer;
  assert.deepEqual(differencesBetween(mine, theirs), [
    { what: "Defect 1", mine: "structural, centre left, 24 px; from 0, 0; Two hands are fused.", theirs: "" },
    { what: "No defect", mine: "", theirs: "yes" },
  ]);
});

test("boxes with body part and severity take the letters of the cells, and need no description", () => {
  const page = new Page({ ...EMPTY, details: true, boxes: true }).act({ type: "add" }).mark().press("h");
  assert.deepEqual([page.payload.defects[0].part, page.payload.defects[0].kind], ["hands", "structural"]);
  assert.equal(page.press("Control+Enter").state.message.text, "Defect 1: how severe?");
  page.press("c").act({ type: "effect", effect: 1 }).press("Control+Enter");
  assert.deepEqual(page.effects, ["submit"]);
  assert.deepEqual(toPayload(fromPayload(page.payload)), page.payload);
  // Without a body part, somebody has to say the kind; and no letter begins a defect or chooses a tool.
  page.act({ type: "add" }).mark().press("o a b");
  assert.deepEqual(page.payload.defects[1], { id: "d2", mask: { size: SIZE, counts: SQUARE.mask }, kind: null, text: "", part: "other", severity: "b" });
  assert.deepEqual([page.press("e").payload.defects[1].kind, page.state.erasing, page.state.tool], ["structural", false, "outline"]);
});

test("body part and severity are asked where the batch says so, and come back", () => {
  const page = new Page({ ...EMPTY, details: true }).press("a").mark().press("t");
  page.act({ type: "text", id: "d1", text: "Two hands are fused." }, { type: "effect", effect: 1 }, { type: "submit" });
  assert.equal(page.state.message.code, "incomplete");
  page.act({ type: "detail", id: "d1", detail: "part", value: "hands" }, { type: "detail", id: "d1", detail: "severity", value: "c" }, { type: "submit" });
  assert.deepEqual(page.effects, ["submit"]);
  const payload = toPayload(page.state.answer);
  assert.deepEqual([payload.details, payload.defects[0].part, payload.defects[0].severity], [true, "hands", "c"]);
  assert.deepEqual(toPayload(fromPayload(payload)), payload);
});
