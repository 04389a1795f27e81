// How an annotation was made: times, counts, and earlier openings.

import assert from "node:assert/strict";
import { test } from "node:test";
import { capturePayload, effortOf, openCapture, withFirst, withInput, withUndo, withVisibility, withZoom } from "../../../static/js/labelling/capture.ts";

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

test("the capture says for how long the image was enlarged, where that is allowed", () => {
  const opened = openCapture(0, true);
  const used = withZoom(withZoom(withZoom(opened, true, 100), false, 350), true, 1000);
  const around = { viewport: [1, 1], image: [1, 1], pixelRatio: 1, surround: "light", scoreShown: false };
  const sent = (capture, more) => capturePayload(capture, { ...around, ...more }, 1500);
  assert.deepEqual([sent(used, { zoom: "loupe" }).zoom, sent(used, { zoom: "loupe" }).zoom_ms], ["loupe", 750]);
  assert.equal(sent(opened, { zoom: "free" }).zoom_ms, 0);
  assert.equal("zoom" in sent(opened, { zoom: "none" }), false);
  // Counting by dots has a loupe in any case.
  assert.deepEqual([sent(used, { zoom: "none" }).zoom, sent(used, { zoom: "none" }).zoom_ms], ["none", 750]);
  assert.deepEqual(sent(opened, { confirmed: ["missing.feet"] }).confirmed, ["missing.feet"]);
});

test("a suggestion counts as long as it is shown and the page visible, and stays on record once withdrawn", () => {
  const shown = withVisibility(withVisibility(openCapture(1_000, true, [], 7), false, 4_000), true, 9_000);
  const stored = effortOf(shown, 10_000);
  assert.deepEqual([stored.suggestion, stored.shown_ms, stored.visible_ms], [7, 4_000, 4_000]);
  const again = effortOf(openCapture(20_000, true, [stored, undefined], 7), 21_500);
  assert.deepEqual([again.suggestion, again.shown_ms, again.visible_ms], [7, 5_500, 5_500]);
  const withdrawn = effortOf(openCapture(30_000, true, [again]), 33_000);
  assert.deepEqual([withdrawn.suggestion, withdrawn.shown_ms, withdrawn.visible_ms], [7, 5_500, 8_500]);
  assert.equal("shown_ms" in effortOf(openCapture(1_000, true), 2_000), false);
});
