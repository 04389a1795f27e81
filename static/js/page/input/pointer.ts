// Clicks and taps. Actions happen on `click`, never on the press.

import { isText } from "./keyboard.ts";
import type { Desk } from "../desk.ts";
import type { Keypads } from "./keypad.ts";

export function listenToPointer(desk: Desk, keypads: Keypads | undefined) {
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

function clicked(desk: Desk, event: MouseEvent, keypads: Keypads | undefined) {
  if (desk.dialogs.current || event.button !== 0) return;
  const element = elementOf(event);
  const target = element && targetOf(element);
  if (!element || !target) return onImage(desk, event);
  if (target === "previous" || target === "next") {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
  }
  if (element.hasAttribute("data-offer")) return offered(desk, Number(target));
  if (target === "save") return desk.pressSave();
  if (target === "reopen") return void desk.dialogs.open("reopen");
  const action = desk.kit.clickAction(target, { shift: event.shiftKey });
  if (!action) return void keypads?.open(element);
  desk.act(action);
  if (action.type.startsWith("focus.") && desk.session) desk.view.focus(desk.session.state);
}

function offered(desk: Desk, position: number) {
  const offer = desk.session?.state.message.offers[position];
  if (!offer) return;
  desk.act(offer.action);
  if (document.activeElement === document.body && desk.session) desk.view.focus(desk.session.state);
}

function onImage(desk: Desk, event: MouseEvent) {
  if (event.target !== desk.view.stage.image) return;
  desk.act({ type: "pin.add", ...desk.view.stage.placeOf(event) });
}

function countClick(desk: Desk, event: MouseEvent) {
  const pointer = event instanceof PointerEvent ? event.pointerType : "";
  // A click made by Enter or Space counts as a key press.
  if (pointer) desk.session?.input(pointer === "touch" ? "taps" : "clicks");
}

export const elementOf = ({ target }: Event): HTMLElement | null =>
  target instanceof Element ? target.closest("[data-target], [data-offer]") : null;

export const targetOf = (element: Element) => {
  const { target, offer } = (element as HTMLElement).dataset;
  return target ?? offer;
};
