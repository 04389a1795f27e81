// Prints scripts as JSON lines, for tests that are not written in JavaScript.
//
//   node tests/js/scripts.js random COUNT SEED [keyboard|pointer]   {seed, steps, payload, warnings}
//   node tests/js/scripts.js sessions COUNT SEED [keyboard|pointer]  {seed, steps, submitted, payload, warnings},
//                                                   up to the first submission, or to where a browser does something else
//   node tests/js/scripts.js payloads COUNT SEED     {payload, warnings, score, complete} after every step
//   node tests/js/scripts.js study < ROWS            {id, marks, keyboard: {steps, events}, pointer: …}
//
// ROWS are JSON lines {id, terms: [{type, part, severity, affected, total}]}.

import { readFileSync } from "node:fs";
import { toPayload } from "../../static/js/labelling/payload.js";
import { ratioText, scoreOf } from "../../static/js/labelling/score.js";
import { warningsOf } from "../../static/js/labelling/warnings.js";
import { randomScript } from "./chance.js";
import { Person } from "./person.js";
import { clicksFor, keysFor } from "./study.js";

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
  for (const { seed, steps } of random(count, first, hand)) {
    const person = new Person();
    const taken = [];
    for (const step of steps) {
      const { state, submitted } = person;
      if (submitted || isOnPin(state.answer, step) || isTabFromPin(state, step) || opens(state, step)) break;
      person.take([step]);
      taken.push(step);
    }
    const { answer } = person.state;
    yield {
      seed,
      steps: taken,
      submitted: person.submitted,
      payload: toPayload(answer),
      warnings: warningsOf(answer),
    };
  }
}

// The offer that opens a dialog: what follows would be done to the dialog.
const opens = ({ message }, [kind, index]) => kind === "offer" && message.offers[index]?.action.type === "open";

// A click so near to a pin goes to the pin.
const isOnPin = ({ marks }, [kind, x, y]) =>
  kind === "image" &&
  marks.some((mark) => mark.pins.some((pin) => Math.abs(pin.x - x) < 0.05 && Math.abs(pin.y - y) < 0.08));

// In a browser the next stop after a pin is the next pin, not the next cell.
const isTabFromPin = ({ place }, [kind, name]) => kind === "key" && place.at === "pin" && name.endsWith("Tab");

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
      const { score, open } = scoreOf(answer);
      const tried = Object.assign(new Person(), { state: person.state }).act({ type: "submit" });
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
    const [byKey, byClick] = [replay(keysFor(terms)), replay(clicksFor(terms))];
    yield { id, keyboard: byKey, pointer: byClick };
  }
}

function replay(steps) {
  const person = new Person().take(steps);
  const { marks } = toPayload(person.state.answer);
  return { steps, marks, keys: person.keys, clicks: person.clicks, submitted: person.submitted };
}

const [command, ...rest] = process.argv.slice(2);
for (const line of { random, sessions, payloads, study }[command](...rest)) console.log(JSON.stringify(line));
