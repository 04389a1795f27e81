// Open the keypad of a target: on a right click, a long press, or a click that means nothing else. A keypad of numbers
// next to its target.

import { isText } from "./keyboard.ts";
import { elementOf, targetOf } from "./pointer.ts";
import { el } from "../dom.ts";
import type { Desk } from "../desk.ts";
import type { Numbers } from "../protocol_kit.ts";
import type { Keypad as Offered } from "../../labelling/targets.ts";

const LONG_PRESS_MS = 450;
const STILL_PX = 10;

export type Keypads = { keypad: Keypad; open: (element: Element) => boolean; used: () => boolean };

/** `used` says whether a long press has opened it, so that the click that follows is ignored. */
export function listenToKeypad(desk: Desk, numbers: Numbers): Keypads {
  const keypad = new Keypad(
    (target, number) => {
      const action = numbers.pick(target, number);
      if (action) desk.act(action);
    },
    () => desk.session && desk.view.focus(desk.session.state),
  );
  document.body.append(keypad.element);
  const open = (element: Element) => {
    const target = targetOf(element);
    const shown = desk.session && target ? numbers.of(desk.session.state.answer, target) : null;
    if (!shown || desk.locked) return false;
    keypad.show(shown, element, numbers.nameOf(shown.target));
    return true;
  };
  document.addEventListener("contextmenu", (event) => {
    const element = elementOf(event);
    if (!element || isText(event.target)) return;
    if (!numbers.of(desk.session?.state.answer ?? {}, targetOf(element) ?? "")) return;
    event.preventDefault();
    if (event.pointerType !== "touch") desk.session?.input("clicks");
    open(element);
  });
  return { keypad, open, used: longPress(open) };
}

function longPress(open: (element: Element) => boolean) {
  let timer = 0;
  let used = false;
  let [startX, startY] = [0, 0];
  document.addEventListener("pointerdown", (event) => {
    used = false;
    clearTimeout(timer);
    const element = elementOf(event);
    if (event.pointerType !== "touch" || !element) return;
    [startX, startY] = [event.clientX, event.clientY];
    timer = window.setTimeout(() => (used = open(element)), LONG_PRESS_MS);
  });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => clearTimeout(timer));
  document.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (Math.hypot(clientX - startX, clientY - startY) > STILL_PX) clearTimeout(timer);
  });
  return () => {
    const was = used;
    used = false;
    return was;
  };
}

const KEY = 40;
const PER_ROW = 6;
const GAP = 4;
const PADDING = 8;
const AWAY = 6;

export class Keypad {
  readonly element = el("div", { class: "keypad", role: "dialog", hidden: true });
  readonly field = el("input", { type: "number", min: 1, inputmode: "numeric" });
  numbers: Offered | null = null;

  constructor(readonly pick: (target: string, number: number) => void, readonly closed: () => void) {
    this.element.addEventListener("click", (event) => {
      const key = (event.target as Element).closest("button");
      if (key) this.picked(Number(key.textContent));
    });
  }

  get open() {
    return this.numbers !== null;
  }

  show(numbers: Offered, beside: Element, name: string) {
    this.numbers = numbers;
    const { least, most, current, upTo } = numbers;
    const keys = Array.from({ length: Math.max(0, most - least + 1) }, (_, position) => {
      const number = least + position;
      const pressed = number === current;
      return el("button", { type: "button", class: pressed ? "current" : "", "aria-pressed": String(pressed) }, String(number));
    });
    this.element.setAttribute("aria-label", name);
    this.element.replaceChildren(...(upTo ? [this.field] : []), ...keys);
    this.element.hidden = false;
    this.place(beside.getBoundingClientRect(), keys.length, upTo ? 1 : 0);
    const first = upTo ? this.field : (keys.find((key) => key.className === "current") ?? keys[0]);
    first?.focus({ preventScroll: true });
    if (!upTo) return;
    this.field.max = String(upTo);
    this.field.setAttribute("aria-label", `${name} 1 to ${upTo}`);
    this.field.value = current !== null && current >= least ? String(current) : "";
    this.field.select();
  }

  picked(number: number) {
    if (!this.numbers) return;
    const { target } = this.numbers;
    this.close();
    this.pick(target, number);
  }

  /** Places the keypad below the target, or above it if there is no room. */
  place(target: DOMRect, keys: number, fields: number) {
    const columns = Math.min(PER_ROW, keys);
    const rows = Math.ceil(keys / PER_ROW) + fields;
    const width = columns * KEY + (columns - 1) * GAP + 2 * PADDING + 2;
    const height = rows * KEY + (rows - 1) * GAP + 2 * PADDING + 2;
    const below = target.bottom + AWAY;
    const top = below + height <= innerHeight ? below : Math.max(AWAY, target.top - AWAY - height);
    const left = Math.min(Math.max(AWAY, target.left + target.width / 2 - width / 2), innerWidth - width - AWAY);
    this.element.style.setProperty("--columns", String(Math.max(1, columns)));
    this.element.style.setProperty("--left", `${Math.max(0, left)}px`);
    this.element.style.setProperty("--top", `${top}px`);
  }

  /** Arrow keys move between the keys. */
  key(event: KeyboardEvent) {
    if (document.activeElement === this.field) {
      if (event.key !== "Enter") return;
      event.preventDefault();
      // An invalid number stays there.
      return this.field.value && this.field.reportValidity() ? this.picked(this.field.valueAsNumber) : undefined;
    }
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -PER_ROW, ArrowDown: PER_ROW }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const keys = [...this.element.querySelectorAll("button")];
    const position = keys.indexOf(document.activeElement as HTMLButtonElement) + by;
    keys[position]?.focus();
  }

  /** Closes it after a click elsewhere. */
  leave(target: EventTarget | null) {
    if (!this.element.contains(target as Node)) this.close();
  }

  close() {
    if (!this.numbers) return;
    this.numbers = null;
    this.element.hidden = true;
    this.element.replaceChildren();
    this.closed();
  }
}
