// Clicks and taps. Actions happen on `click`, never on the press.

import { isText } from "./keyboard.js";

/** @import { Desk } from "../desk.js" */
/** @import { Keypads } from "./keypad.js" */

/**
 * @param {Desk} desk
 * @param {Keypads | undefined} keypads
 */
export function listenToPointer(desk, keypads) {
  // A press must not move the focus: it would be lost with a button that disappears.
  document.addEventListener("mousedown", (event) => {
    const inside = event.target instanceof Element && event.target.closest("main, .desk-header, .keypad");
    if (inside && !isText(event.target)) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    countClick(desk, event);
    if (keypads?.used()) return event.preventDefault();
    keypads?.keypad.leave(event.target);
    clicked(desk, event, keypads);
  });
}

/** @param {Desk} desk @param {MouseEvent} event @param {Keypads | undefined} keypads */
function clicked(desk, event, keypads) {
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
  if (!action) return void keypads?.open(element);
  desk.act(action);
  if (action.type.startsWith("focus.") && desk.session) desk.view.focus(desk.session.state);
}

/** @param {Desk} desk @returns {Record<string, () => void>} */
const ownActs = (desk) => ({
  save: () => desk.pressSave(),
  reopen: () => void desk.dialogs.open("reopen"),
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

/** @param {Event} event @returns {HTMLElement | null} */
export const elementOf = ({ target }) =>
  target instanceof Element ? target.closest("[data-target], [data-offer]") : null;

/** @param {Element} element */
export const targetOf = (element) => {
  const { target, offer } = /** @type {HTMLElement} */ (element).dataset;
  return target ?? offer;
};
