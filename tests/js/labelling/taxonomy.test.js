// The 25 cells.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cellAt, CELLS } from "../../../static/js/labelling/taxonomy.ts";

test("25 cells, found by type and part or by key", () => {
  assert.equal(CELLS.length, 25);
  assert.equal(cellAt("missing.limbs"), cellAt("missing", "limbs"));
  assert.throws(() => cellAt("missing.wings"), RangeError);
});
