// Open the keypad of a target: on a right click, a long press, or a click that means nothing else.

import { Keypad } from "../viewing/keypad.ts";
import { isText } from "./keyboard.ts";
import { elementOf, targetOf } from "./pointer.ts";
import type { Desk } from "../desk.ts";
import type { Numbers } from "../protocol_kit.ts";

const LONG_PRESS_MS = 450;
const STILL_PX = 10;

export type Keypads = { keypad: Keypad; open: (element: Element) => boolean; used: () => boolean };

/**
 * Returns `used` says whether a long press has opened it, so that the click that follows is ignored.
 * `numbers`: of the protocol.
 */
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
