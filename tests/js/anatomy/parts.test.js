// The smaller parts: scores, names, comparison, capture, clicks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { capturePayload, effortOf, openCapture, withFirst, withInput, withUndo, withVisibility, withZoom } from "../../../static/js/labelling/capture.js";
import { differencesBetween } from "../../../static/js/anatomy/comparison.js";
import { cellName, countName, countStepName, pinName, zoneName } from "../../../static/js/anatomy/accessible_names.js";
import { clickAction, keypadOf, pickAction } from "../../../static/js/anatomy/pointer.js";
import { decimalText, ratioText, readRatio, readWeights, scoreOf } from "../../../static/js/anatomy/score.js";
import { cellAt, CELLS } from "../../../static/js/labelling/taxonomy.js";
import { Person, PUBLISHED_WEIGHTS, typed } from "../replay/person.js";

const answerOf = (text) => new Person().take(typed(text)).state.answer;

test("25 cells, found by type and part or by key", () => {
  assert.equal(CELLS.length, 25);
  assert.equal(cellAt("missing.limbs"), cellAt("missing", "limbs"));
  assert.throws(() => cellAt("missing.wings"), RangeError);
});

test("scores are exact", () => {
  const { score, open } = scoreOf(answerOf("2 h / 3 b l / 7 a"), PUBLISHED_WEIGHTS);
  assert.deepEqual([ratioText(score), open], ["41/210", 0]);
  assert.deepEqual(scoreOf(answerOf("h b"), PUBLISHED_WEIGHTS), { score: { n: 0n, d: 1n }, open: 1 });
  const weights = readWeights({ a: "0.25", b: "1/3", c: "2" });
  assert.equal(ratioText(scoreOf(answerOf("2 h a b c"), weights).score), "31/48");
  assert.deepEqual(
    ["2/3", "1/2000", "1999/2000", "0"].map((text) => decimalText(readRatio(text))),
    ["0.667", "0.001", "1.000", "0.000"],
  );
  assert.equal(ratioText(readRatio("4/2")), "2");
  for (const text of ["", "x", "-1", "1/0", ".5", "1e3"])
    assert.throws(() => readRatio(text), RangeError, text);
});

test("names begin with what can be seen", () => {
  const answer = answerOf("2 h - g b 3 c");
  const cell = cellAt("configuration.hands");
  assert.equal(
    cellName(answer, cell),
    "Configuration, Hands: 1 of 3 moderate, 3 of 3 severe. Check: 1 + 3 = 4 affected, but 3 visible hands. Kept; correct if one part was counted twice.",
  );
  assert.equal(cellName(answer, cellAt("extra.face")), "Extra, Face: empty");
  assert.equal(zoneName(answer, cell, "c"), "3 /3 c severe, add one");
  assert.equal(zoneName(answer, cell, "a"), "a mild, add one");
  assert.equal(countName(answer, "visible", "hands"), "3 visible hands, guess, change");
  assert.equal(countStepName(answer, "expected", "hands", -1), "− one fewer, 3 expected hands");
  assert.equal(countName(answerOf("h"), "expected", "feet"), "–, expected feet, change");
  assert.equal(pinName(cell, "c", 0, 2), "c, pin 1 of 2 on Configuration · Hands");
});

test("two versions, side by side", () => {
  const [mine, theirs] = [
    answerOf("2 h b"),
    new Person().take(typed("2 h - b")).note("blurred").state.answer,
  ];
  assert.deepEqual(differencesBetween(mine, theirs), [
    { what: "Hands, expected", mine: "4 (guess)", theirs: "3" },
    { what: "Hands, visible", mine: "4 (guess)", theirs: "3 (guess)" },
    { what: "Missing · Hands", mine: "1/4 b", theirs: "1/3 b" },
    { what: "Note", mine: "", theirs: "blurred" },
  ]);
  assert.deepEqual(differencesBetween(mine, mine), []);
});

test("capture: pauses above 30 s are no work, hidden time is not seen", () => {
  let capture = openCapture(1_000, true);
  capture = withInput(capture, "keys", 3_000);
  capture = withInput(capture, "clicks", 4_000);
  capture = withVisibility(capture, false, 5_000);
  capture = withVisibility(capture, true, 65_000);
  capture = withInput(withUndo(capture), "taps", 66_000);
  capture = withInput(capture, "other", 96_000);
  capture = withFirst(withFirst(withFirst(capture, null), "missing.hands"), "missing.torso");
  const surroundings = {
    viewport: [1280, 720],
    image: [592, 395],
    pixelRatio: 1,
    surround: "light",
    scoreShown: false,
  };
  assert.deepEqual(capturePayload(capture, surroundings, 97_000), {
    opened_at: "1970-01-01T00:00:01.000Z",
    first_input_at: "1970-01-01T00:00:03.000Z",
    sent_at: "1970-01-01T00:01:37.000Z",
    visible_ms: 36_000,
    active_ms: 33_000,
    keys: 1,
    clicks: 1,
    taps: 1,
    undos: 1,
    first_cell: "missing.hands",
    viewport: [1280, 720],
    image_css: [592, 395],
    pixel_ratio: 1,
    surround: "light",
    score_shown: false,
  });
});

test("an image opened again counts on from its earlier openings, whatever kept them", () => {
  let first = openCapture(1_000, true);
  for (let at = 2_000; at <= 41_000; at += 1_000) first = withInput(first, at <= 21_000 ? "keys" : "clicks", at);
  first = withFirst(withUndo(withZoom(withZoom(first, true, 5_000), false, 7_000)), "missing.hands");
  const stored = effortOf(first, 41_000);
  assert.deepEqual([stored.active_ms, stored.visible_ms, stored.keys, stored.clicks], [40_000, 40_000, 20, 20]);
  const again = withFirst(withUndo(withInput(openCapture(100_000, true, [stored]), "keys", 104_000)), "extra.feet");
  assert.deepEqual(effortOf(again, 110_000), {
    ...stored,
    active_ms: 44_000,
    visible_ms: 50_000,
    keys: 21,
    undos: 2,
  });
  // The server and the copy on this device tell of the same time.
  const both = effortOf(openCapture(200_000, false, [stored, effortOf(again, 110_000), undefined]), 300_000);
  assert.deepEqual(both, effortOf(again, 110_000));
});

test("earlier effort that cannot be read counts nothing, and none exceeds what the server takes", () => {
  const odd = { opened_at: "soon", first_input_at: null, active_ms: Number.NaN, keys: -3, visible_ms: 31 * 86_400_000 };
  const sent = effortOf(openCapture(5_000, true, [odd, null]), 9_000);
  assert.deepEqual([sent.opened_at, sent.first_input_at, sent.first_cell], ["1970-01-01T00:00:05.000Z", null, null]);
  assert.deepEqual([sent.active_ms, sent.keys, sent.visible_ms], [0, 0, 31 * 86_400_000]);
});

test("clicks that name nothing do nothing", () => {
  for (const target of ["", "nothing", "constructor", "panel:missing.hands.b.total", "count:visible.hands"])
    assert.equal(clickAction(target), null, target);
  assert.equal(keypadOf(answerOf("2"), "people:2"), null);
  assert.equal(pickAction("none", 3), null);
  assert.deepEqual(clickAction("walk.next"), { type: "walk", by: 1 });
});

test("the capture says for how long the image was enlarged, where that is allowed", () => {
  const opened = openCapture(0, true);
  const used = withZoom(withZoom(withZoom(opened, true, 100), false, 350), true, 1000);
  const around = { viewport: [1, 1], image: [1, 1], pixelRatio: 1, surround: "light", scoreShown: false };
  const sent = (capture, more) => capturePayload(capture, { ...around, ...more }, 1500);
  assert.deepEqual([sent(used, { zoom: "loupe" }).zoom, sent(used, { zoom: "loupe" }).zoom_ms], ["loupe", 750]);
  assert.equal(sent(opened, { zoom: "free" }).zoom_ms, 0);
  assert.equal("zoom" in sent(used, { zoom: "none" }), false);
  assert.deepEqual(sent(opened, { confirmed: ["missing.feet"] }).confirmed, ["missing.feet"]);
});
