// Section 4: which key means what, on which keyboard, and where.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gridKeyAction as keyAction } from "../../../static/js/labelling/keys.ts";

const AREA = { inArea: true };
const act = (key, more = {}, context = AREA) => keyAction({ key, ...more }, context);
const column = (errorType) => ({ type: "column", errorType });
const row = (part) => ({ type: "row", part });

test("every key of the table", () => {
  const table = {
    w: { type: "focus.people" },
    m: column("missing"),
    x: column("extra"),
    g: column("configuration"),
    o: column("orientation"),
    p: column("proportion"),
    t: row("torso"),
    l: row("limbs"),
    f: row("feet"),
    h: row("hands"),
    e: row("face"),
    a: { type: "severity", severity: "a", off: false },
    b: { type: "severity", severity: "b", off: false },
    c: { type: "severity", severity: "c", off: false },
    0: { type: "digit", digit: 0 },
    7: { type: "digit", digit: 7 },
    "/": { type: "slash" },
    "+": { type: "step", by: 1 },
    "=": { type: "step", by: 1 },
    "-": { type: "step", by: -1 },
    ".": { type: "pin.mode" },
    "?": { type: "open", dialog: "help" },
    n: { type: "open", dialog: "note" },
    s: { type: "open", dialog: "flag" },
    q: { type: "open", dialog: "ask" },
    r: { type: "open", dialog: "guideline" },
    d: { type: "dots" },
    Home: { type: "edge", last: false },
    End: { type: "edge", last: true },
    Backspace: { type: "backspace" },
    Delete: { type: "delete" },
    Enter: { type: "enter" },
    Escape: { type: "escape" },
    PageUp: { type: "navigate", by: -1 },
    PageDown: { type: "navigate", by: 1 },
    ArrowLeft: { type: "arrow", right: -1, down: 0, far: false },
    ArrowRight: { type: "arrow", right: 1, down: 0, far: false },
    ArrowUp: { type: "arrow", right: 0, down: -1, far: false },
    ArrowDown: { type: "arrow", right: 0, down: 1, far: false },
  };
  for (const [key, action] of Object.entries(table)) assert.deepEqual(act(key), action, key);
  for (const key of ["z", "Tab", " ", "F5", "Shift", "Control", "constructor", "ß", "ArrowFoo"])
    assert.equal(act(key), null, key);
});

test("Shift takes off and goes far; Caps Lock is ignored", () => {
  assert.deepEqual(act("B", { shiftKey: true }), { type: "severity", severity: "b", off: true });
  assert.deepEqual(act("B"), { type: "severity", severity: "b", off: false });
  assert.deepEqual(act("b", { shiftKey: true }), { type: "severity", severity: "b", off: true });
  assert.deepEqual(act("H"), row("hands"));
  assert.equal(act("ArrowUp", { shiftKey: true }).far, true);
});

test("while counting by dots, arrows move a cross by 8 px of the image, with Alt by 1", () => {
  const counting = { ...AREA, counting: [800, 400] };
  assert.deepEqual(act("ArrowRight", {}, counting), { type: "dot.move", right: 0.01, down: 0 });
  assert.deepEqual(act("ArrowUp", { altKey: true, repeat: true }, counting), { type: "dot.move", right: 0, down: -0.0025 });
  assert.equal(act("ArrowUp", { altKey: true }), null);
  assert.equal(act("d", { altKey: true }, counting), null);
});

test("undo, redo and submit, with Ctrl or ⌘", () => {
  for (const held of [{ ctrlKey: true }, { metaKey: true }]) {
    assert.deepEqual(act("z", held), { type: "undo" });
    assert.deepEqual(act("Z", { ...held, shiftKey: true }), { type: "redo" });
    assert.deepEqual(act("y", held), { type: "redo" });
    assert.deepEqual(act("Enter", held), { type: "submit" });
    for (const key of ["a", "c", "s", "p", "1", "+", "-", "ArrowLeft"])
      assert.equal(act(key, held), null, key);
  }
  assert.equal(act("b", { altKey: true }), null);
  assert.equal(act("z", { altKey: true, ctrlKey: true }), null);
});

test("digits of the top row, of the number pad, and of layouts that need Shift for them", () => {
  assert.deepEqual(act("4", { code: "Numpad4" }), { type: "digit", digit: 4 });
  assert.deepEqual(act("&", { code: "Digit1" }), { type: "digit", digit: 1 });
  assert.deepEqual(act("é", { code: "Digit2" }), { type: "digit", digit: 2 });
  assert.deepEqual(act("2", { code: "Digit2", shiftKey: true }), { type: "digit", digit: 2 });
  const rows = {
    AZERTY: "&é\"'(-è_çà",
    BÉPO: "\"«»()@+-/*",
    Czech: "+ěščřžýáíé",
    Thai: "ๅ/-ภถุึคตจ",
    Arabic: "١٢٣٤٥٦٧٨٩٠",
  };
  for (const [layout, row] of Object.entries(rows))
    [...row].forEach((key, place) => {
      const digit = (place + 1) % 10;
      assert.deepEqual(act(key, { code: `Digit${digit}` }), { type: "digit", digit }, `${layout} ${key}`);
    });
  assert.deepEqual(act("/", { code: "Digit7", shiftKey: true }), { type: "slash" });
  assert.equal(act("!", { code: "Digit1", shiftKey: true }), null);
  assert.deepEqual(act("/", { code: "NumpadDivide" }), { type: "slash" });
});

test("letters by their place on keyboards of other scripts", () => {
  assert.deepEqual(act("и", { code: "KeyB" }), { type: "severity", severity: "b", off: false });
  assert.deepEqual(act("я", { code: "KeyZ", ctrlKey: true }), { type: "undo" });
  assert.deepEqual(act("a", { code: "KeyQ" }), { type: "severity", severity: "a", off: false });
  assert.equal(act("ö", { code: "Semicolon" }), null);
});

test("signs that need AltGr", () => {
  const altGr = { ctrlKey: true, altKey: true, getModifierState: (name) => name === "AltGraph" };
  assert.deepEqual(act("/", altGr), { type: "slash" });
  assert.deepEqual(act("−", { ...altGr, code: "Digit8" }), { type: "step", by: -1 });
  assert.deepEqual(act("÷", { ...altGr, code: "Digit9" }), { type: "slash" });
  assert.equal(act("[", { ...altGr, code: "Digit8" }), null);
});

test("signs by position where the layout has a digit in their place, but not where it has a Latin letter", () => {
  assert.deepEqual(act(")", { code: "Minus" }), { type: "step", by: -1 });
  assert.deepEqual(act("ช", { code: "Equal" }), { type: "step", by: 1 });
  assert.deepEqual(act("ฝ", { code: "Slash" }), { type: "slash" });
  assert.equal(act("ß", { code: "Minus" }), null);
});

test("composing is left alone", () => {
  assert.equal(act("b", { isComposing: true }), null);
  assert.equal(act("b", { keyCode: 229 }), null);
  assert.equal(act("Process"), null);
  assert.equal(act("Dead"), null);
});

test("a held key repeats movement and counting, not marks", () => {
  assert.deepEqual(act("+", { repeat: true }), { type: "step", by: 1 });
  assert.equal(act("ArrowUp", { repeat: true }).type, "arrow");
  for (const key of ["b", "3", "0", "h", "PageDown", "Delete"])
    assert.equal(act(key, { repeat: true }), null, key);
  assert.equal(act("Enter", { repeat: true, ctrlKey: true }), null);
});

test("single keys off: signs, letters and digits rest, the others stay", () => {
  const off = { inArea: true, singleKeys: false };
  for (const key of [..."wmxgoptlfhabc0179/+-=.?ns"]) assert.equal(act(key, {}, off), null, key);
  for (const key of ["ArrowLeft", "Home", "Enter", "Escape", "Delete", "Backspace", "PageUp"])
    assert.notEqual(act(key, {}, off), null, key);
  assert.deepEqual(act("z", { ctrlKey: true }, off), { type: "undo" });
});

test("outside the labelling area and in text fields", () => {
  assert.equal(act("b", {}, { inArea: false }), null);
  assert.equal(act("PageDown", {}, { inArea: false }), null);
  const field = { inArea: true, inText: true };
  for (const key of ["b", "1", "Enter", "Backspace", "ArrowLeft", "Home"])
    assert.equal(act(key, {}, field), null, key);
  assert.equal(act("z", { ctrlKey: true }, field), null);
  assert.deepEqual(act("Enter", { ctrlKey: true }, field), { type: "submit" });
});

test("a button keeps its Enter", () => {
  assert.equal(act("Enter", {}, { inArea: true, onControl: true }), null);
  assert.deepEqual(act("b", {}, { inArea: true, onControl: true }).type, "severity");
});

test("dialogs: Escape closes, Ctrl Enter confirms, digits choose a reason or a tag", () => {
  const flag = { inArea: false, dialog: "flag" };
  assert.deepEqual(act("Escape", {}, flag), { type: "close" });
  assert.deepEqual(act("Enter", { ctrlKey: true }, { ...flag, inText: true }), { type: "confirm" });
  assert.deepEqual(act("4", {}, flag), { type: "choose", place: 4 });
  for (const key of ["0", "b", "Enter"]) assert.equal(act(key, {}, flag), null, key);
  assert.equal(act("4", {}, { ...flag, inText: true }), null);
  assert.equal(act("4", {}, { inArea: true, dialog: "note" }), null);
  assert.deepEqual(act("?", {}, { inArea: true, dialog: "help" }), { type: "close" });
  assert.deepEqual(act("r", {}, { inArea: true, dialog: "guideline" }), { type: "close" });
  assert.equal(act("r", {}, { inArea: true, dialog: "help" }), null);
  assert.equal(act("z", { ctrlKey: true }, flag), null);
});
