// Masks in the browser: the text of COCO, and painting.

import assert from "node:assert/strict";
import { test } from "node:test";

import { joined, Raster } from "../../../static/js/defect/raster.ts";
import { fillRuns, fromText, measure, overlap, pathOf, runsOf, toText } from "../../../static/js/defect/rle.ts";
import VECTORS from "../../scoring/defect/rle-vectors.json";

/** @param {string[]} rows of 0 and 1 */
function rasterOf(rows) {
  const raster = new Raster(rows[0].length, rows.length);
  rows.forEach((row, y) => [...row].forEach((bit, x) => (raster.bytes[x * raster.height + y] = Number(bit))));
  return raster;
}

const rowsOf = ({ width, height, bytes }) => Array.from({ length: height }, (_, y) => Array.from({ length: width }, (__, x) => bytes[x * height + y]).join(""));

test("a mask is drawn as the server draws it", () => {
  assert.equal(pathOf([22, 3, 575], 20), "M1 2h1v3h-1z");
  assert.equal(pathOf([18, 4, 578], 20), "M0 18h1v2h-1zM1 0h1v2h-1z");
});

for (const { name, size, rows, counts, text, area, box } of VECTORS)
  test(`the text of COCO: ${name}`, () => {
    const runs = fromText(text);
    assert.equal(toText(runs), text);
    const { centre, ...measured } = measure(runs, size[0]);
    assert.deepEqual(measured, { area, box });
    const bytes = new Uint8Array(size[0] * size[1]);
    fillRuns(runs, bytes, 1);
    assert.deepEqual(runsOf(bytes), runs);
    if (!rows) return;
    assert.deepEqual(runs, counts);
    const raster = rasterOf(rows);
    assert.deepEqual(bytes, raster.bytes);
    const [xs, ys] = [[], []];
    bytes.forEach((bit, at) => bit && (xs.push(Math.floor(at / size[0]) + 0.5), ys.push((at % size[0]) + 0.5)));
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    if (area) [xs, ys].forEach((values, axis) => assert.ok(Math.abs(mean(values) - centre[axis]) < 1e-9));
  });

test("two masks share what both have", () => {
  const [one, other, apart] = ["0110110", "1110010", "1001001"].map((row) => runsOf(rasterOf([row]).bytes));
  assert.equal(overlap(one, other), 3 / 5);
  assert.deepEqual([overlap(one, one), overlap(one, apart), overlap(apart, other)], [1, 0, 1 / 6]);
});

test("a stroke is as long and as wide as the brush makes it", () => {
  const raster = new Raster(200, 100);
  const area = raster.stroke([50, 50], [150, 50], 10, 1);
  const painted = measure(runsOf(raster.bytes), 100);
  assert.deepEqual(painted.box, [40, 40, 120, 20]);
  assert.ok(Math.abs(painted.area - (2000 + Math.PI * 100)) < 40, `${painted.area}`);
  assert.deepEqual(area, [39, 39, 162, 62]);
  raster.stroke([100, 0], [100, 99], 3, 0);
  assert.ok(measure(runsOf(raster.bytes), 100).area < painted.area - 100);
});

test("the smallest brush paints a pixel, also at the edge", () => {
  const raster = new Raster(5, 5);
  raster.disc(0.5, 0.5, 0.5, 1);
  raster.disc(4.5, 4.5, 0.5, 1);
  assert.deepEqual(rowsOf(raster), ["10000", "00000", "00000", "00000", "00001"]);
  raster.disc(-9, -9, 2, 1);
  assert.equal(measure(runsOf(raster.bytes), 5).area, 2);
});

test("outlines are filled, crossing ones too", () => {
  const square = new Raster(6, 6);
  square.polygon([[1, 1], [5, 1], [5, 4], [1, 4]], 1);
  assert.deepEqual(rowsOf(square), ["000000", "011110", "011110", "011110", "000000", "000000"]);
  const turn = Array.from({ length: 121 }, (_, i) => [50 + 30 * Math.cos((i * Math.PI) / 30), 50 + 30 * Math.sin((i * Math.PI) / 30)]);
  const twice = new Raster(100, 100);
  twice.polygon(turn, 1);
  assert.ok(Math.abs(measure(runsOf(twice.bytes), 100).area - Math.PI * 900) < 30);
});

test("holes are filled, bays are not", () => {
  const raster = rasterOf(["1111110", "1000010", "1011010", "1000010", "1111010", "0000010"]);
  raster.fillHoles(measure(runsOf(raster.bytes), 6).box);
  assert.deepEqual(rowsOf(raster), ["1111110", "1000010", "1011010", "1000010", "1111010", "0000010"]);
  const closed = rasterOf(["0111110", "0100010", "0101010", "0100010", "0111110"]);
  closed.fillHoles(measure(runsOf(closed.bytes), 5).box);
  assert.deepEqual(rowsOf(closed), Array(5).fill("0111110"));
});

test("a mask has an edge and a casing around it", () => {
  globalThis.ImageData = class {
    constructor(width, height) {
      this.data = new Uint8ClampedArray(4 * width * height);
    }
  };
  const raster = rasterOf(["00000", "01110", "01110", "01110", "00000"]);
  const drawn = new Uint32Array(raster.pixels([0, 0, 5, 5], 2, 1, 1).data.buffer);
  const W = 0xffffffff;
  assert.deepEqual([...drawn], [0, W, W, W, 0, W, 2, 2, 2, W, W, 2, 1, 2, W, W, 2, 2, 2, W, 0, W, W, W, 0]);
});

test("rectangles join", () => {
  assert.equal(joined(null, null), null);
  assert.deepEqual(joined([1, 2, 3, 4], null), [1, 2, 3, 4]);
  assert.deepEqual(joined([1, 2, 3, 4], [0, 3, 2, 9]), [0, 2, 3, 9]);
});
