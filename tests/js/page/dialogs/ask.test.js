// Asking a lead: one key per text, and why a question was not sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { keep, refusalOf } from "../../../../static/js/page/dialogs/ask.ts";

test("a repeated text keeps its key, a changed text and another image do not", () => {
  const first = keep(1, "Is it a hand?");
  assert.equal(keep(1, "Is it a hand?").key, first.key);
  const changed = keep(1, "Is it a foot?").key;
  assert.notEqual(changed, first.key);
  assert.notEqual(keep(2, "Is it a foot?").key, changed);
});

test("every reply but 200 has a reason, the server's own where it gives one", () => {
  assert.equal(refusalOf({ status: 422, body: { error: "invalid", errors: { text: ["Enter a text."] } } }), "Enter a text.");
  const others = [0, 401, 403, 404, 500].map((status) => refusalOf({ status, body: {} }));
  assert.ok(others.every((text) => text.startsWith("Not sent: ")));
  assert.equal(refusalOf({ status: 403, body: { error: "csrf" } }), others[1]);
  for (const body of [null, undefined, { errors: null }, { errors: { text: [] } }])
    assert.ok(refusalOf({ status: 422, body }).startsWith("Not sent: "));
});
