// A random-error model: what becomes of an annotation when one key of its script is a neighbour of the right one.

import { toPayload } from "../../../static/js/anatomy/payload.ts";
import { Chance } from "./chance.js";
import { Person } from "./person.js";

const ROWS = ["1234567890-=", "qwertyuiop", "asdfghjkl", "zxcvbnm,./"];

// The keys beside, above and below a key of a US keyboard.
function neighbours(key) {
  const row = ROWS.findIndex((keys) => keys.includes(key));
  if (row < 0) return [];
  const column = ROWS[row].indexOf(key);
  const places = [[row, column - 1], [row, column + 1], [row - 1, column], [row - 1, column + 1], [row + 1, column - 1], [row + 1, column]];
  return places.flatMap(([line, place]) => ROWS[line]?.[place] ?? []);
}

const marksOf = (person) =>
  toPayload(person.state.answer).marks.map(({ pins, own_total, ...mark }) => JSON.stringify(mark));

// The stops on the way: a refusal or a question is a slip noticed.
function replay(steps) {
  const person = new Person();
  const stops = [];
  for (const step of steps) {
    person.take([step]);
    const { kind, code } = person.state.message;
    if (kind === "stop" && stops.at(-1) !== code) stops.push(code);
  }
  return { marks: new Set(marksOf(person)), submitted: person.submitted, stops };
}

// Per key of the script, one slip: `wrong` marks that were submitted without any stop, `noticed` slips, and `harmless`.
export function slipsIn(steps, seed) {
  const chance = new Chance(seed);
  const right = replay(steps);
  const found = { keys: 0, silent: 0, wrong: 0, noticed: 0, harmless: 0 };
  for (const [position, [, key]] of steps.entries()) {
    const near = neighbours(key);
    if (near.length === 0) continue;
    found.keys += 1;
    const slipped = replay(steps.with(position, ["key", chance.of(near)]));
    const missing = [...right.marks].filter((mark) => !slipped.marks.has(mark)).length;
    const added = [...slipped.marks].filter((mark) => !right.marks.has(mark)).length;
    if (!slipped.submitted || slipped.stops.length > right.stops.length) found.noticed += 1;
    else if (missing + added === 0) found.harmless += 1;
    else {
      found.silent += 1;
      found.wrong += Math.max(missing, added);
    }
  }
  return found;
}
