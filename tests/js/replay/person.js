// A person at the page, without a page: steps become key presses and clicks, these become acts.
//
// A step is a list, so that scripts are plain JSON and a browser can be driven by them:
//   ["key", "Shift+b"]            a key press, modifiers in front (each counts as a key of its own)
//   ["click", target, times]      left clicks on a target of static/js/anatomy/pointer.ts
//   ["shift", target]             a click with Shift held
//   ["menu", target]              a right click or long press, which opens a keypad
//   ["pick", number]              a key of the open keypad
//   ["image", x, y]               a click on the image
//   ["offer", index]              a click on a button of the message line
//   ["note", text]  ["flag", reason, text]  ["skip", reason, text]   a dialog, filled in and confirmed

import { dispatch } from "../../../static/js/anatomy/dispatch.ts";
import { clickAction, keypadOf, pickAction } from "../../../static/js/anatomy/pointer.ts";
import { readWeights } from "../../../static/js/anatomy/score.ts";
import { openState } from "../../../static/js/anatomy/state.ts";
import { gridKeyAction as keyAction } from "../../../static/js/labelling/keys.ts";
import { CELLS } from "../../../static/js/labelling/taxonomy.ts";
import "./words.js";

export const PUBLISHED_WEIGHTS = readWeights({ a: "0.2", b: "0.5", c: "1" });

export function pressOf(name) {
  const names = name === "+" ? ["+"] : name.split(/\+(?=.)/);
  const key = names.at(-1);
  const has = (modifier) => names.slice(0, -1).includes(modifier);
  return { key, shiftKey: has("Shift"), ctrlKey: has("Control"), metaKey: has("Meta"), altKey: has("Alt") };
}

export class Person {
  constructor(payload = {}, options = {}) {
    this.state = openState(payload, options);
    this.effects = [];
    this.keypad = null;
    this.keys = 0;
    this.clicks = 0;
  }

  get submitted() {
    return this.effects.some(({ type }) => type === "submit");
  }

  act(action) {
    const { state, effects } = dispatch(this.state, action);
    this.state = state;
    this.effects.push(...effects);
    for (const effect of effects) if (effect.type === "again") this.act(effect.action);
    return this;
  }

  take(steps) {
    for (const [kind, ...rest] of steps) this[kind](...rest);
    return this;
  }

  key(name) {
    const press = pressOf(name);
    this.keys += name === "+" ? 1 : name.split(/\+(?=.)/).length;
    if (press.key === "Tab") return this.tab(press.shiftKey ? -1 : 1);
    const counting = this.state.counting ? [800, 400] : null;
    const action = keyAction(press, { inArea: true, counting });
    return action ? this.act(action) : this;
  }

  // What the browser does: the cells follow the people in the prescribed order.
  tab(step) {
    const { place, cell } = this.state;
    const next =
      place.at === "people" ? (step > 0 ? CELLS[0] : undefined) : CELLS[CELLS.indexOf(cell) + step];
    if (next) return this.act({ type: "focus.cell", cell: next });
    return this.act({ type: place.at !== "people" && step < 0 ? "focus.people" : "focus.away" });
  }

  click(target, times = 1) {
    for (let click = 0; click < times; click += 1) {
      this.clicks += 1;
      const action = clickAction(target);
      if (action) this.act(action);
      else this.open(target);
    }
    return this;
  }

  shift(target) {
    this.clicks += 1;
    return this.act(clickAction(target, { shift: true }));
  }

  menu(target) {
    this.clicks += 1;
    return this.open(target);
  }

  open(target) {
    this.keypad = keypadOf(this.state.answer, target);
    if (!this.keypad) throw new Error(`nothing to open on ${target}`);
    return this;
  }

  pick(number) {
    const { target, least, most } = this.keypad ?? {};
    if (!(number >= least && number <= most)) throw new Error(`no key ${number} on the keypad of ${target}`);
    this.clicks += 1;
    this.keypad = null;
    return this.act(pickAction(target, number));
  }

  image(x, y) {
    this.clicks += 1;
    return this.act({ type: "pin.add", x, y });
  }

  offer(index) {
    this.clicks += 1;
    return this.act(this.state.message.offers[index].action);
  }

  note(text) {
    return this.act({ type: "note", note: text });
  }

  flag(reason, text) {
    return this.act({ type: "flag", reason, note: text });
  }

  skip(reason, text) {
    return this.act({ type: "skip", reason, note: text });
  }
}

// Keys as one writes them down: "2 l / 4 c Ctrl+Enter".
export const typed = (text) => text.split(" ").map((key) => ["key", key.replace("Ctrl", "Control")]);
