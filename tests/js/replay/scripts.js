// Prints scripts as JSON lines, for tests that are not written in JavaScript.
//
//   node tests/js/replay/scripts.js random COUNT SEED [keyboard|pointer]   {seed, steps, payload, warnings}
//   node tests/js/replay/scripts.js sessions COUNT SEED [keyboard|pointer]  {seed, images: [{steps, submitted, payload}]},
//                                                   a browser's: one image after the other
//   node tests/js/replay/scripts.js payloads COUNT SEED     {payload, warnings, score, complete} after every step
//   node tests/js/replay/scripts.js study < ROWS            {id, keyboard: {steps, marks, keys, clicks}, pointer: …, both: …}
//   node tests/js/replay/scripts.js slips < ROWS            {keys, silent, wrong, noticed, harmless}: see slips.js
//
// ROWS are JSON lines {id, terms: [{type, part, severity, affected, total}]}.

import { readFileSync } from "node:fs";
import { toPayload } from "../../../static/js/anatomy/payload.ts";
import { scoreOf } from "../../../static/js/anatomy/score.ts";
import { warningsOf } from "./warnings.js";
import { unsure } from "./browsers.js";
import { randomScript } from "./chance.js";
import { Person, PUBLISHED_WEIGHTS } from "./person.js";
import { slipsIn } from "./slips.js";
import { bothFor, clicksFor, keysFor } from "./study.js";
import { ratioText } from "./ratios.js";

const seeds = (count, first) =>
  Array.from({ length: Number(count) }, (_, position) => Number(first) + position);

function* random(count, first, hand) {
  for (const seed of seeds(count, first)) {
    const only = hand === "keyboard" ? { pointer: false } : hand === "pointer" ? { keyboard: false } : {};
    const { steps, person } = randomScript(seed, only);
    const { answer } = person.state;
    yield { seed, steps, payload: toPayload(answer), warnings: warningsOf(answer) };
  }
}

function* sessions(count, first, hand) {
  for (const seed of seeds(count, first)) {
    const only = hand === "keyboard" ? { pointer: false } : hand === "pointer" ? { keyboard: false } : {};
    const { images } = randomScript(seed, { ...only, unsure, onwards: true });
    yield { seed, images: images.map(imageOf) };
  }
}

const imageOf = ({ steps, person }) => ({
  steps,
  submitted: person.submitted,
  payload: toPayload(person.state.answer),
});

function* payloads(count, first) {
  const seen = new Set();
  for (const seed of seeds(count, first)) {
    const person = new Person();
    for (const step of randomScript(seed, { remarks: true }).steps) {
      const { answer } = person.take([step]).state;
      const payload = toPayload(answer);
      const text = JSON.stringify(payload);
      if (seen.has(text)) continue;
      seen.add(text);
      const { score, open } = scoreOf(answer, PUBLISHED_WEIGHTS);
      const tried = Object.assign(new Person(), { state: person.state }).act({ type: "submit" });
      while (tried.state.message.code === "affected_sum_above_total") tried.key("y");
      yield {
        payload,
        warnings: warningsOf(answer),
        score: open ? null : ratioText(score),
        complete: tried.submitted,
      };
    }
  }
}

function* study() {
  for (const line of readFileSync(0, "utf8").trim().split("\n")) {
    const { id, terms } = JSON.parse(line);
    yield { id, keyboard: replay(keysFor(terms)), pointer: replay(clicksFor(terms)), both: replay(bothFor(terms)) };
  }
}

function* slips() {
  for (const [position, line] of readFileSync(0, "utf8").trim().split("\n").entries())
    yield slipsIn(keysFor(JSON.parse(line).terms), position + 1);
}

function replay(steps) {
  const person = new Person().take(steps);
  const { marks } = toPayload(person.state.answer);
  return { steps, marks, keys: person.keys, clicks: person.clicks, submitted: person.submitted };
}

const [command, ...rest] = process.argv.slice(2);
for (const line of { random, sessions, payloads, study, slips }[command](...rest)) console.log(JSON.stringify(line));
