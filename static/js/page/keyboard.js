// Key presses and the focus.

import { isHeld, keyAction } from "../labelling/keys.js";
import { cellAt } from "../labelling/taxonomy.js";
import { clickAction } from "../labelling/pointer.js";

/** @import { KeyContext } from "../labelling/keys.js" */
/** @import { Desk } from "./desk.js" */
/** @import { Keypad } from "./keypad.js" */

const TEXT = "textarea, select, input:not([type=radio], [type=checkbox], [type=button])";

/** @param {EventTarget | null} target */
export const isText = (target) => target instanceof Element && target.matches(TEXT);

/**
 * @param {Desk} desk
 * @param {Keypad} keypad
 */
export function listenToKeys(desk, keypad) {
  document.addEventListener("keydown", (event) => {
    if (!event.repeat) desk.session?.input("keys");
    document.body.classList.add("keyboard");
    if (keypad.open && keypadKey(keypad, event)) return;
    const context = contextOf(desk, keypad, event);
    const action = keyAction(event, context);
    if (!action) {
      if (isHeld(event, context)) event.preventDefault();
      return;
    }
    event.preventDefault();
    desk.act(action);
  });
  document.addEventListener("focusin", ({ target }) => {
    // A dialog takes the focus for a while and gives it back.
    if (target instanceof Element && !target.closest("dialog, .keypad")) focused(desk, target);
  });
}

/** @param {Keypad} keypad @param {KeyboardEvent} event */
function keypadKey(keypad, event) {
  if (event.key === "Escape" || (event.key === "Enter" && event.ctrlKey)) {
    event.preventDefault();
    keypad.close();
    return true;
  }
  keypad.key(event);
  return event.defaultPrevented;
}

/** @param {Desk} desk @param {Keypad} keypad @param {KeyboardEvent} event @returns {KeyContext} */
function contextOf(desk, keypad, { target }) {
  const element = target instanceof Element ? target : document.body;
  const name = /** @type {NonNullable<KeyContext["dialog"]> | null} */ (desk.dialogs.current?.name ?? (keypad.open ? "keypad" : null));
  return {
    inArea: element === document.body || element.closest("main, .desk-header") !== null,
    inText: isText(target),
    onControl: element.matches("a[href], button:not(.person, .pin)"),
    dialog: name,
    singleKeys: desk.preferences.single_keys,
  };
}

/** @param {Desk} desk @param {Element} target */
function focused(desk, target) {
  const cell = /** @type {HTMLElement | null} */ (target.closest("[data-cell]"))?.dataset.cell;
  if (cell) return void desk.act({ type: "focus.cell", cell: cellAt(cell) });
  if (target.matches(".person")) return void desk.act({ type: "focus.people" });
  const pin = target instanceof HTMLElement && target.matches(".pin") ? target.dataset.target : undefined;
  if (!pin) return void desk.act({ type: "focus.away" });
  const { place, cell: current } = desk.session?.state ?? {};
  const here = place?.at === "pin" && pin === `pin:${current?.key}.${place.severity}.${place.index}`;
  const action = clickAction(pin);
  if (!here && action) desk.act(action);
}
