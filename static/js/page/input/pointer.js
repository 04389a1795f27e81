// Clicks, taps, right clicks and long presses. Actions happen on `click`, never on the press.

import { Keypad } from "../viewing/keypad.js";
import { isText } from "./keyboard.js";

/** @import { Desk } from "../desk.js" */

const LONG_PRESS_MS = 450;
const STILL_PX = 10;

/**
 * @param {Desk} desk
 * @returns {Keypad}
 */
export function listenToPointer(desk) {
  const keypad = new Keypad(
    (target, number) => {
      const action = desk.kit.keypad?.pick(target, number);
      if (action) desk.act(action);
    },
    () => desk.session && desk.view.focus(desk.session.state),
  );
  document.body.append(keypad.element);
  /** @param {Element} element */
  const openKeypad = (element) => {
    const target = targetOf(element);
    const numbers = desk.session && target ? desk.kit.keypad?.of(desk.session.state.answer, target) : null;
    if (!numbers || desk.locked) return false;
    keypad.show(numbers, element, desk.kit.keypad?.nameOf(numbers.target) ?? "");
    return true;
  };

  // A press must not move the focus: it would be lost with a button that disappears.
  document.addEventListener("mousedown", (event) => {
    const inside = event.target instanceof Element && event.target.closest("main, .desk-header, .keypad");
    if (inside && !isText(event.target)) event.preventDefault();
  });
  document.addEventListener("contextmenu", (event) => {
    const element = elementOf(event);
    if (!element || isText(event.target)) return;
    if (!desk.kit.keypad?.of(desk.session?.state.answer ?? /** @type {any} */ ({}), targetOf(element) ?? "")) return;
    event.preventDefault();
    if (event.pointerType !== "touch") desk.session?.input("clicks");
    openKeypad(element);
  });
  const press = longPress(openKeypad);
  document.addEventListener("click", (event) => {
    countClick(desk, event);
    if (press.used()) return event.preventDefault();
    if (keypad.open && !keypad.element.contains(/** @type {Node} */ (event.target))) keypad.close();
    clicked(desk, event, openKeypad);
  });
  return keypad;
}

/** @param {Desk} desk @param {MouseEvent} event @param {(element: Element) => boolean} openKeypad */
function clicked(desk, event, openKeypad) {
  if (desk.dialogs.current || event.button !== 0) return;
  const element = elementOf(event);
  const target = element && targetOf(element);
  if (!element || !target) return onImage(desk, event);
  if (target === "previous" || target === "next") {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
  }
  if (element.hasAttribute("data-offer")) return offered(desk, Number(target));
  const own = ownActs(desk)[target];
  if (own) return own();
  const action = desk.kit.clickAction(target, { shift: event.shiftKey });
  if (!action) return void openKeypad(element);
  desk.act(action);
  if (action.type.startsWith("focus.") && desk.session) desk.view.focus(desk.session.state);
}

/** @param {Desk} desk @returns {Record<string, () => void>} */
const ownActs = (desk) => ({
  save: () => desk.pressSave(),
  reopen: () => desk.dialogs.reopen(),
});

/** @param {Desk} desk @param {number} position */
function offered(desk, position) {
  const offer = desk.session?.state.message.offers[position];
  if (!offer) return;
  desk.act(offer.action);
  if (document.activeElement === document.body && desk.session) desk.view.focus(desk.session.state);
}

/** @param {Desk} desk @param {MouseEvent} event */
function onImage(desk, event) {
  if (event.target !== desk.view.stage.image) return;
  desk.act({ type: "pin.add", ...desk.view.stage.placeOf(event) });
}

/** @param {Desk} desk @param {MouseEvent} event */
function countClick(desk, event) {
  const pointer = event instanceof PointerEvent ? event.pointerType : "";
  // A click made by Enter or Space counts as a key press.
  if (pointer) desk.session?.input(pointer === "touch" ? "taps" : "clicks");
}

/**
 * Opens the keypad of a target on a long press, and ignores the click that follows.
 * @param {(element: Element) => boolean} open
 */
function longPress(open) {
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
  return {
    used() {
      const was = used;
      used = false;
      return was;
    },
  };
}

/** @param {Event} event @returns {HTMLElement | null} */
const elementOf = ({ target }) =>
  target instanceof Element ? target.closest("[data-target], [data-offer]") : null;

/** @param {Element} element */
const targetOf = (element) => {
  const { target, offer } = /** @type {HTMLElement} */ (element).dataset;
  return target ?? offer;
};
