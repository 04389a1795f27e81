// Two versions of one annotation.

import assert from "node:assert/strict";
import { test } from "node:test";
import { differencesBetween } from "../../../static/js/anatomy/payload.ts";
import { Person, typed } from "../replay/person.js";

const answerOf = (text) => new Person().take(typed(text)).state.answer;

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
