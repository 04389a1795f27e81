// Random scripts from a seed: the same seed, the same script, on every machine.

import { marksIn } from "../../../static/js/anatomy/answer.ts";
import { keypadOf } from "../../../static/js/anatomy/pointer.ts";
import {
  BODY_PARTS,
  CELLS,
  COUNT_KINDS,
  SEVERITIES,
} from "../../../static/js/labelling/taxonomy.ts";
import { Person } from "./person.js";
import { REASONS } from "./words.js";

// Lehmer's generator with the multiplier of Park, Miller and Stockmeyer (1993).
export class Chance {
  constructor(seed) {
    this.value = (seed % 2147483646) + 1;
    for (let turn = 0; turn < 8; turn += 1) this.below(2);
  }

  below(limit) {
    this.value = (this.value * 48271) % 2147483647;
    return this.value % limit;
  }

  between(least, most) {
    return least + this.below(most - least + 1);
  }

  of(list) {
    return list[this.below(list.length)];
  }

  // `choices` are [weight, value] pairs.
  weighted(choices) {
    let left = this.below(choices.reduce((sum, [weight]) => sum + weight, 0));
    return choices.find(([weight]) => (left -= weight) < 0)[1];
  }
}

const keys = (...names) => names.map((name) => ["key", name]);
const digits = (number) => [...String(number)];

const KEYBOARD = [
  [12, (chance) => keys(chance.of([..."mxgop"]), chance.of([..."tlfhe"]))],
  [
    3,
    (chance) =>
      keys(chance.of(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "Tab", "Shift+Tab"])),
  ],
  [14, (chance) => Array(chance.between(1, 3)).fill(["key", chance.of(SEVERITIES)])],
  [8, (chance) => keys(...digits(chance.between(1, 9)), chance.of(SEVERITIES))],
  [
    6,
    (chance) =>
      keys(...digits(chance.between(1, 5)), "/", ...digits(chance.between(0, 12)), chance.of(SEVERITIES)),
  ],
  [5, (chance) => keys("/", ...digits(chance.between(0, 12)), chance.of(SEVERITIES))],
  [5, (chance) => keys("/", ...digits(chance.between(0, 12)), "Enter")],
  [7, (chance) => keys(...Array(chance.between(1, 3)).fill(chance.of(["+", "-", "="])))],
  [5, (chance) => keys(`Shift+${chance.of(SEVERITIES)}`)],
  [5, () => keys("Backspace")],
  [2, (chance) => keys(...digits(chance.between(1, 120)), "Backspace")],
  [3, () => keys("Delete")],
  [5, () => keys("Enter")],
  [2, () => keys("Escape")],
  [2, () => keys("y")],
  [2, () => keys("0")],
  [3, (chance) => keys("w", chance.of([..."123456789"]))],
  [1, (chance) => keys("w", ...Array(chance.between(1, 30)).fill("+"))],
  [
    2,
    (chance) => keys(".", ...Array(chance.below(4)).fill("ArrowLeft"), "Shift+ArrowDown", "Enter", "Escape"),
  ],
  [4, (chance) => Array(chance.between(1, 4)).fill(["key", "Control+z"])],
  [3, (chance) => Array(chance.between(1, 3)).fill(["key", chance.of(["Control+y", "Control+Shift+z"])])],
  [2, () => keys("Control+Enter")],
];

const POINTER = [
  [10, (chance) => [["click", zone(chance), chance.between(1, 3)]]],
  [3, (chance) => [["shift", zone(chance)]]],
  [6, (chance, state) => opened(chance, state, zone(chance), "menu")],
  [6, (chance) => [["click", `${count(chance)}.${chance.of(["+", "-"])}`, chance.between(1, 3)]]],
  [4, (chance, state) => opened(chance, state, count(chance), "menu")],
  [8, (chance, state) => onPanel(chance, state)],
  [4, (chance) => [["image", chance.below(1001) / 1000, chance.below(1001) / 1000]]],
  [3, (chance, { answer }) => onPin(chance, answer)],
  [3, (chance) => [["click", `people:${chance.of([..."12345678"])}`, 1]]],
  [1, (chance, state) => opened(chance, state, "people:+", "click")],
  [
    3,
    (chance, { message }) => (message.offers.length ? [["offer", chance.below(message.offers.length)]] : []),
  ],
  [2, (chance) => [["click", chance.of(["none", "undo", "undo", "redo", "submit"]), 1]]],
];

const REMARKS = [
  [
    1,
    (chance) => [
      ["note", chance.of(["", "two hands merge", "x".repeat(2001), "a\0b\ud800c", "👍".repeat(2000)])],
    ],
  ],
  [
    1,
    (chance) => [
      [
        "flag",
        chance.of([...REASONS, "none"]),
        chance.of(["", "see left hand"]),
      ],
    ],
  ],
];

const zone = (chance) => `zone:${chance.of(CELLS).key}.${chance.of(SEVERITIES)}`;
const count = (chance) => `count:${chance.of(COUNT_KINDS)}.${chance.of(BODY_PARTS)}`;

function opened(chance, { answer }, target, how) {
  const { least, most } = keypadOf(answer, target);
  if (least > most) return [];
  // Numbers near the small end are the likely ones.
  const number = chance.between(least, chance.of([Math.min(most, least + 6), most]));
  return [how === "menu" ? ["menu", target] : ["click", target, 1], ["pick", number]];
}

function onPanel(chance, state) {
  const marks = marksIn(state.answer, state.cell);
  if (marks.length === 0) return [];
  const panel = `panel:${state.cell.key}.${chance.of(marks).severity}`;
  const what = chance.of(["+", "-", "total", "total", "pin"]);
  return what === "total"
    ? opened(chance, state, `${panel}.total`, "click")
    : [["click", `${panel}.${what}`, 1]];
}

function onPin(chance, answer) {
  const pinned = answer.marks.filter((mark) => mark.pins.length > 0);
  if (pinned.length === 0) return [];
  const mark = chance.of(pinned);
  const click = ["click", `pin:${mark.cell.key}.${mark.severity}.${chance.below(mark.pins.length)}`, 1];
  return chance.below(2) ? [click, ["key", "Delete"]] : [click];
}

// One person's script: `rounds` small doings, and what came of them. `unsure(person, step)` names what a script
// leaves out; `images` are the answers on the way, a new one after each submission where `onwards` is true.
export function randomScript(seed, how = {}) {
  const { rounds = 30, keyboard = true, pointer = true, remarks = false } = how;
  const { unsure = () => false, onwards = false } = how;
  const chance = new Chance(seed);
  const kinds = [...(keyboard ? KEYBOARD : []), ...(pointer ? POINTER : []), ...(remarks ? REMARKS : [])];
  const images = [{ steps: [], person: new Person() }];
  const take = (steps) => {
    for (const step of steps) {
      const { steps: taken, person } = images.at(-1);
      if (unsure(person, step, images.length)) return;
      person.take([step]);
      taken.push(step);
      if (!onwards || !person.submitted) continue;
      images.push({ steps: [], person: new Person() });
      return;
    }
  };
  // Mostly the people come first, as the page asks for them.
  if (chance.below(5))
    take([keyboard ? ["key", String(chance.between(1, 4))] : ["click", `people:${chance.between(1, 4)}`, 1]]);
  for (let round = 0; round < rounds; round += 1)
    take(chance.weighted(kinds)(chance, images.at(-1).person.state));
  return { seed, ...images.at(-1), images };
}
