// The presence page's rules: keys, clicks, guided walks, undo, and payloads there and back.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { CELLS, cellAt } from "../../../static/js/labelling/taxonomy.ts";
import { differencesBetween, fromPayload, toPayload } from "../../../static/js/presence/answer.ts";
import { clickAction, keyAction } from "../../../static/js/presence/keys.ts";
import { dispatch, openState } from "../../../static/js/presence/state.ts";
import { pressOf } from "../replay/person.js";

const EMPTY = { cells: [], no_errors: false, unsure: [], flag: null, note: "" };
const HERE = { inArea: true };

class Page {
  constructor(payload = {}, options = {}) {
    this.state = openState(payload, options);
    this.effects = [];
  }

  act(action) {
    const { state, effects } = dispatch(this.state, action);
    this.state = state;
    this.effects.push(...effects);
    return this;
  }

  press(keys) {
    for (const name of keys.split(" ")) {
      const action = keyAction(pressOf(name === "Space" ? " " : name), HERE);
      if (action) this.act(action);
    }
    return this;
  }

  get payload() {
    return toPayload(this.state.answer);
  }

  get submits() {
    return this.effects.some(({ type }) => type === "submit");
  }
}

test("keys go to a cell and mark it", () => {
  const page = new Page().press("x l Space g h 1 m e Space u");
  assert.deepEqual(page.payload, {
    ...EMPTY,
    cells: ["missing.face", "extra.limbs", "configuration.hands"],
    unsure: ["missing.face"],
  });
  assert.ok(page.press("Control+Enter").submits);
});

test("a mark taken off takes its doubt along, and a doubt brings its mark", () => {
  const page = new Page().press("u");
  assert.deepEqual([page.payload.cells, page.payload.unsure], [["missing.torso"], ["missing.torso"]]);
  assert.deepEqual(page.press("Space").payload, EMPTY);
});

test("arrows wrap, Home and End are the ends", () => {
  const page = new Page().press("ArrowLeft ArrowUp Space Home Space End Space");
  assert.deepEqual(page.payload.cells, ["missing.torso"]);
});

test("no errors asks before it clears, Enter clears, undo brings the marks back", () => {
  const page = new Page().press("Space x Space 0");
  assert.equal(page.state.message.code, "no_errors_over_marks");
  assert.equal(page.payload.cells.length, 2);
  assert.deepEqual(page.press("Enter").payload, { ...EMPTY, no_errors: true });
  assert.equal(page.press("z").payload.cells.length, 2);
  assert.equal(page.press("Control+Shift+z").payload.no_errors, true);
  assert.equal(page.press("Space").payload.no_errors, false);
});

test("V enlarges the image, guided or not", () => {
  assert.deepEqual(new Page().press("v").effects, [{ type: "zoom" }]);
  assert.deepEqual(new Page({}, { guided: true }).press("v").effects, [{ type: "zoom" }]);
});

test("nothing entered is not submitted, nor what is offline", () => {
  assert.equal(new Page().press("Control+Enter").state.message.code, "empty");
  const page = new Page().press("0").act({ type: "submit", offline: true });
  assert.deepEqual([page.state.message.code, page.submits], ["offline", false]);
});

test("guided: every cell wants a yes or a no, N is an answer and no note", () => {
  const page = new Page({}, { guided: true }).press("y n");
  assert.deepEqual([page.payload.cells, page.state.cell.key], [["missing.torso"], "missing.feet"]);
  assert.equal(page.press("Control+Enter").state.message.code, "unanswered");
  page.press("n ".repeat(23).trim());
  assert.equal(page.state.answered.length, CELLS.length);
  assert.ok(page.press("Control+Enter").submits);
  assert.deepEqual(new Page().press("n").effects, [{ type: "open", dialog: "note" }]);
});

test("guided: no to all 25 is still not 'no errors' until somebody says so", () => {
  const page = new Page({}, { guided: true }).press("n ".repeat(25).trim()).press("Control+Enter");
  assert.deepEqual([page.submits, page.state.message.code], [false, "empty"]);
  assert.ok(page.press("0 Control+Enter").submits);
});

test("an untouched image gives the submission before it back", () => {
  assert.deepEqual(new Page().press("z").effects, [{ type: "withdraw" }]);
  assert.deepEqual(new Page().press("Space z z").effects.filter(({ type }) => type === "withdraw"), []);
});

test("single keys off: Space and letters are left to the browser", () => {
  const off = { ...HERE, singleKeys: false };
  for (const key of [" ", "u", "y", "1", "m"]) assert.equal(keyAction({ key }, off), null, key);
  assert.equal(keyAction({ key: " " }, { ...HERE, onControl: true }), null);
  assert.equal(keyAction({ key: "u", isComposing: true }, HERE), null);
  assert.equal(keyAction({ key: "u" }, { ...HERE, inText: true }), null);
  assert.equal(keyAction({ key: " ", repeat: true }, HERE), null);
});

test("what the anatomy page alone knows does nothing here", () => {
  for (const key of ["a", "b", "c", "w", "/", "+", ".", "7"]) assert.equal(keyAction({ key }, HERE), null, key);
  assert.equal(clickAction("zone:missing.limbs.c"), null);
  assert.deepEqual(clickAction("toggle:missing.limbs"), { type: "toggle", cell: cellAt("missing.limbs") });
});

test("payloads come back as they were, in published order", () => {
  const payload = { ...EMPTY, cells: ["missing.limbs", "proportion.face"], unsure: ["missing.limbs"], note: "n", flag: { reason: "other", note: "" } };
  assert.deepEqual(toPayload(fromPayload(payload)), payload);
  assert.deepEqual(toPayload(fromPayload({ cells: ["proportion.face", "missing.limbs"] })).cells, ["missing.limbs", "proportion.face"]);
  assert.deepEqual(toPayload(fromPayload({})), EMPTY);
  assert.deepEqual(differencesBetween(fromPayload({}), fromPayload({ cells: ["missing.limbs"], unsure: ["missing.limbs"] })), [
    { what: "Missing · Limbs", mine: "", theirs: "marked, unsure" },
  ]);
});

test("the rules know nothing of the page", () => {
  for (const name of ["answer", "state", "keys"]) {
    const source = readFileSync(`static/js/presence/${name}.ts`, "utf8");
    assert.doesNotMatch(source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, ""), /\b(document|window|navigator|fetch)\b|page\//, name);
  }
});
