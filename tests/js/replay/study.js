// What a person would do to enter a published row by keys alone or by clicks alone: the quickest way.

import { countOf, markAt, totalOf } from "../../../static/js/anatomy/answer.ts";
import { BODY_PARTS, cellAt, ERROR_TYPES } from "../../../static/js/labelling/taxonomy.ts";
import { Person } from "./person.js";

const COLUMN_KEYS = [..."mxgop"];
const ROW_KEYS = [..."tlfhe"];
// Seconds of the keystroke-level model: a key, to point at something, to press and release the button, and
// to recall a number that is not on the screen.
const KEY = 0.2;
const POINT = 1.1;
const CLICK = 0.2;
const RECALL = 1.35;

const keys = (names) => names.map((name) => ["key", name]);
const keyCount = (steps) =>
  steps.reduce((sum, [, name]) => sum + (name === "+" ? 1 : name.split(/\+(?=.)/).length), 0);
const isNumber = (name, before) =>
  name === "/" || (/^[+-]$/.test(name) && before !== name) || /^count:|\.total$/.test(name);
const recalls = (steps) =>
  steps.filter(([, name], position) => isNumber(String(name), steps[position - 1]?.[1])).length;
const byKeys = (steps) => KEY * keyCount(steps) + RECALL * recalls(steps);
const byClicks = (steps) =>
  steps.reduce((sum, [, , times = 1]) => sum + POINT + CLICK * times, 0) + RECALL * recalls(steps);

const KEYBOARD = {
  cost: byKeys,
  nothing: keys(["0", "Control+Enter"]),
  people: (people) => keys([String(people)]),
  end: keys(["Control+Enter"]),
  yes: keys(["y"]),
  ways: waysByKey,
};
const POINTER = {
  cost: byClicks,
  nothing: [
    ["click", "none", 1],
    ["click", "submit", 1],
  ],
  people: (people) => (people < 9 ? [["click", `people:${people}`, 1]] : [["click", "people:+", 1], ["pick", people]]),
  end: [["click", "submit", 1]],
  yes: [["offer", 1]],
  ways: waysByClick,
};

// One hand points at the cells, the other one types: people, further parts, totals, and Ctrl Enter.
const BOTH = {
  ...KEYBOARD,
  cost: (steps) =>
    steps.reduce((sum, [kind, name, times = 1]) => sum + (kind === "key" ? KEY * keyCount([[kind, name]]) : POINT + CLICK * times), 0) +
    RECALL * recalls(steps),
  ways: waysByBoth,
};

// `terms` are {type, part, severity, affected, total} in the published order.
export const keysFor = (terms) => cheapest(terms, KEYBOARD);
export const clicksFor = (terms) => cheapest(terms, POINTER);
export const bothFor = (terms) => cheapest(terms, BOTH);

function cheapest(terms, hand) {
  if (terms.length === 0) return hand.nothing;
  let best = null;
  for (let people = 1; people <= 9; people += 1) {
    const steps = entering(terms, hand, hand.people(people), best ? hand.cost(best) : Infinity);
    if (steps) best = steps;
  }
  return best;
}

function entering(terms, hand, first, limit) {
  let person = new Person().take(first);
  let steps = first;
  for (const [position, term] of terms.entries()) {
    const entered = terms.slice(0, position + 1);
    const found = firstThatWorks(hand.ways(term, person.state), person, entered, hand.cost);
    // More affected than there are: five cells of the study, where one part has two errors.
    const asked = found.person.state.message.code === "affected_sum_above_total";
    const last = !sameCell(term, terms[position + 1]);
    person = asked && last ? found.person.take(hand.yes) : found.person;
    steps = [...steps, ...found.steps, ...(asked && last ? hand.yes : [])];
    if (hand.cost(steps) + hand.cost(hand.end) >= limit) return null;
  }
  return [...steps, ...hand.end];
}

const sameCell = (one, other) => one.type === other?.type && one.part === other?.part;

function firstThatWorks(ways, person, entered, cost) {
  for (const steps of [...ways].sort((one, other) => cost(one) - cost(other))) {
    const tried = attempt(person, steps);
    if (tried && entered.every((term) => stands(tried.state.answer, term))) return { person: tried, steps };
  }
  throw new Error(`no way found for ${JSON.stringify(entered.at(-1))}`);
}

function attempt(person, steps) {
  const tried = Object.assign(new Person(), { state: person.state });
  try {
    return tried.take(steps);
  } catch {
    return null; // a number that the keypad does not have
  }
}

function stands(answer, { type, part, severity, affected, total }) {
  const mark = markAt(answer, cellAt(type, part), severity);
  return mark !== null && mark.affected === affected && totalOf(answer, mark) === total;
}

function waysByKey({ type, part, severity, affected, total }, { place, cell, answer }) {
  const moves = [
    ...(type === cell.type ? [] : [COLUMN_KEYS[ERROR_TYPES.indexOf(type)]]),
    ...(part === cell.part ? [] : [ROW_KEYS[BODY_PARTS.indexOf(part)]]),
  ];
  if (place.at === "people" && moves.length === 0) moves.push("Tab");
  const number = affected > 1 ? [...String(affected)] : [];
  const shorts = [[...number, severity], Array(affected).fill(severity)];
  const by = total - (countOf(answer, cellAt(type, part).kind, part) ?? 0);
  const nudges = Array(Math.abs(by)).fill(by > 0 ? "+" : "-");
  const withTotal = [...number, "/", ...String(total), severity];
  return [...shorts, ...shorts.map((short) => [...nudges, ...short]), withTotal].map((way) =>
    keys([...moves, ...way]),
  );
}

function waysByBoth({ type, part, severity, affected, total }, { answer }) {
  const cell = cellAt(type, part);
  const zone = `zone:${cell.key}.${severity}`;
  const by = total - (countOf(answer, cell.kind, part) ?? 0);
  const nudges = keys(Array(Math.abs(by)).fill(by > 0 ? "+" : "-"));
  const many = [[["click", zone, affected]], [["click", zone, 1], ...keys([...String(affected), severity])]];
  const withTotal = keys([...String(affected), "/", ...String(total), severity]);
  const focused = [["click", `cell:${cell.key}`, 1]];
  return [
    ...many,
    ...many.map((way) => [...way, ...nudges]),
    [...focused, ...nudges, ...keys([...String(affected), severity])],
    [...focused, ...withTotal],
  ];
}

function waysByClick({ type, part, severity, affected, total }, { answer }) {
  const cell = cellAt(type, part);
  const zone = `zone:${cell.key}.${severity}`;
  const many = (clicks) => [
    [["click", zone, clicks]],
    [
      ["menu", zone],
      ["pick", affected],
    ],
  ];
  const count = `count:${cell.kind}.${part}`;
  const by = total - (countOf(answer, cell.kind, part) ?? 0);
  const corrections = [
    [["click", `${count}.${by > 0 ? "+" : "-"}`, Math.abs(by)]],
    [
      ["click", count, 1],
      ["pick", total],
    ],
  ];
  const own = [
    ["click", zone, 1],
    ["click", `panel:${cell.key}.${severity}.total`, 1],
    ["pick", total],
  ];
  return [
    ...many(affected),
    ...corrections.flatMap((correction) => many(affected).map((way) => [...correction, ...way])),
    ...(affected === 1 ? [own] : many(affected - 1).map((way) => [...own, ...way])),
  ];
}
