// What must be true of the logic's modules as a whole.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("../../static/js/labelling/", import.meta.url);
const sources = new Map(
  readdirSync(FOLDER).map((name) => [name, readFileSync(new URL(name, FOLDER), "utf8")]),
);
const code = (source) => source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, "");
const importsOf = (source) => [...code(source).matchAll(/from "\.\/(.+?)"/g)].map(([, name]) => name);

test("no document, no network, no clock, no chance", () => {
  const impure =
    /\b(document|window|navigator|localStorage|fetch|setTimeout|setInterval|performance)\b|Date\.now|new Date\(\)|Math\.random|randomUUID/;
  for (const [name, source] of sources) assert.doesNotMatch(code(source), impure, name);
});

test("imports point one way", () => {
  const done = new Set();
  const visit = (name, path) => {
    assert.ok(!path.includes(name), `${[...path, name].join(" > ")}`);
    if (done.has(name)) return;
    for (const next of importsOf(sources.get(name))) visit(next, [...path, name]);
    done.add(name);
  };
  for (const name of sources.keys()) visit(name, []);
});

test("modules could be joined into one file: names are unique, imports keep them", () => {
  const owner = new Map();
  for (const [name, source] of sources) {
    assert.doesNotMatch(
      code(source),
      /export default|import \*|export \{|\bas [a-z]+[,\s}].*from|await import/,
      name,
    );
    for (const [, declared] of code(source).matchAll(
      /^(?:export )?(?:const|let|class|function\*?) (\w+)/gm,
    )) {
      assert.equal(owner.get(declared), undefined, `${declared} in ${name} and ${owner.get(declared)}`);
      owner.set(declared, name);
    }
  }
});

test("modules stay short", () => {
  for (const [name, source] of sources) assert.ok(source.split("\n").length <= 260, name);
});
