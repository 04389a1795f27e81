// Images per second and the time left, from samples of a running step.

import assert from "node:assert/strict";
import { test } from "node:test";
import { imagesPerSecond, sampled, speedWords } from "../../../static/js/upload/speed.js";

/** The samples after `done` images in each second. */
const after = (...done) => done.reduce((samples, each, at) => sampled(samples, { at, done: each }), []);

test("a steady speed is told after three seconds", () => {
  assert.equal(imagesPerSecond(after(0, 10, 20)), null);
  assert.equal(imagesPerSecond(after(0, 10, 20, 30)), 10);
});

test("seconds without a change neither count nor slow it down", () => {
  assert.equal(imagesPerSecond(after(0, 0, 0, 40, 40, 80)), imagesPerSecond(after(0, 0, 0, 40, 40, 80, 80)));
});

test("only the last half minute counts", () => {
  const slow = Array.from({ length: 60 }, (_, at) => at);
  const fast = Array.from({ length: 40 }, (_, at) => 60 + 5 * at);
  assert.equal(imagesPerSecond(after(...slow, ...fast)), 5);
});

test("fewer images than before begin anew", () => {
  assert.equal(imagesPerSecond(after(0, 10, 20, 30, 40, 2, 3)), null);
});

test("the words name speed and time left", () => {
  assert.equal(speedWords(null, 100), "");
  assert.equal(speedWords(4.04, 100), "4.0 images per second, less than a minute left");
  assert.equal(speedWords(12.4, 9000), "12 images per second, about 12 min left");
  assert.equal(speedWords(1234.5, 30_000_000), "1,235 images per second, about 7 h left");
  assert.equal(speedWords(3, 0), "");
});
