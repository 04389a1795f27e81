// What must be true of the page's modules as a whole, and of the logic's modules in particular.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";

const LONGEST = 400;
// From the root of the repository, where `npm test` runs.
const read = (name) => readFileSync(name, "utf8");
const under = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.[jt]s$/.test(name))
    .map((name) => posix.join(folder, name));
const own = under("static/js").filter((name) => !name.startsWith("static/js/built/"));
const every = new Map(own.map((name) => [name, read(name)]));
const PURE = /^static\/js\/(anatomy|labelling)\/\w+\.ts$/;
const PROTOCOLS = ["anatomy", "presence", "rating_form", "defect"];
const sources = new Map(own.filter((name) => PURE.test(name)).map((name) => [name, every.get(name)]));
const code = (source) => source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, "");
// Types are gone once a module runs.
const importsOf = (name) =>
  [...code(every.get(name)).replace(/^import type [^;]+;/gm, "").matchAll(/(?:from|import) "(\..+?)"/g)].map(([, path]) =>
    posix.join(posix.dirname(name), path),
  );

test("there are modules", () => assert.ok(own.length > 50 && sources.size > 15));

test("no document, no network, no clock, no chance", () => {
  const impure =
    /\b(document|window|navigator|localStorage|fetch|setTimeout|setInterval|performance)\b|Date\.now|new Date\(\)|Math\.random|randomUUID/;
  for (const [name, source] of sources) assert.doesNotMatch(code(source), impure, name);
});

test("imports point one way, and the logic knows nothing of the page", () => {
  const done = new Set();
  const visit = (name, path) => {
    assert.ok(!path.includes(name), `${[...path, name].join(" > ")}`);
    if (done.has(name)) return;
    for (const next of importsOf(name)) visit(next, [...path, name]);
    done.add(name);
  };
  for (const name of own) visit(name, []);
  for (const name of sources.keys()) for (const next of importsOf(name)) assert.match(next, PURE, name);
});

test("shared scripts know no protocol, and no protocol knows another", () => {
  const protocolOf = (name) => PROTOCOLS.find((slug) => name.startsWith(`static/js/${slug}`));
  for (const name of own)
    for (const next of importsOf(name)) {
      if (protocolOf(next)) assert.equal(protocolOf(name), protocolOf(next), `${name} > ${next}`);
      if (name.startsWith("static/js/labelling/")) assert.match(next, /^static\/js\/labelling\//, name);
    }
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
  for (const name of [...own, ...under("tests/js")]) assert.ok(read(name).split("\n").length - 1 <= LONGEST, name);
});
