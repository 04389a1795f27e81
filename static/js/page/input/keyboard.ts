// Key presses and the focus.

import type { KeyContext, KeyPress } from "../../labelling/keys.ts";
import type { Desk } from "../desk.ts";
import type { Keypad, Keypads } from "./keypad.ts";

const TEXT = "textarea, select, input:not([type=radio], [type=checkbox], [type=button])";

export const isText = (target: EventTarget | null) => target instanceof Element && target.matches(TEXT);

export function listenToKeys(desk: Desk, keypads: Keypads | undefined) {
  const keypad = keypads?.keypad;
  document.addEventListener("keydown", (event) => {
    if (!event.repeat) desk.session?.input("keys");
    document.body.classList.add("keyboard");
    if (keypad?.open && keypadKey(keypad, event)) return;
    const context = contextOf(desk, keypad?.open ?? false, event);
    const press = pressOf(event);
    const action = desk.kit.keyAction(press, context);
    // What the page ignores only because the key is held down, the browser must ignore too.
    if (action || (press.repeat && desk.kit.keyAction({ ...press, repeat: false }, context))) event.preventDefault();
    if (action && !desk.journey.holds(action)) desk.act(action);
  });
  document.addEventListener("input", ({ target }) => {
    const action = target instanceof Element ? desk.kit.inputAction?.(target) : null;
    // What does not count is taken back from the input.
    if (action) desk.act(action);
    if (action) desk.draw();
  });
  document.addEventListener("focusin", ({ target }) => {
    // A dialog returns the focus when it closes.
    if (target instanceof Element && !target.closest("dialog, .keypad")) {
      const action = desk.kit.focusAction(target, desk.session?.state);
      if (action) desk.act(action);
    }
  });
}

/** The fields of an event as those of an object, which can be copied. */
function pressOf(event: KeyboardEvent): KeyPress {
  const { key, code, shiftKey, ctrlKey, metaKey, altKey, repeat, isComposing, keyCode } = event;
  const getModifierState = (modifier: "AltGraph") => event.getModifierState(modifier);
  return { key, code, shiftKey, ctrlKey, metaKey, altKey, repeat, isComposing, keyCode, getModifierState };
}

function keypadKey(keypad: Keypad, event: KeyboardEvent) {
  if (event.key === "Escape" || (event.key === "Enter" && event.ctrlKey)) {
    event.preventDefault();
    keypad.close();
    return true;
  }
  keypad.key(event);
  return event.defaultPrevented;
}

function contextOf(desk: Desk, picking: boolean, { target }: KeyboardEvent): KeyContext {
  const element = target instanceof Element ? target : document.body;
  const name = (desk.dialogs.current?.name ?? (picking ? "keypad" : null)) as NonNullable<KeyContext["dialog"]> | null;
  return {
    inArea: element === document.body || element.closest("main, .desk-header") !== null,
    inText: isText(target),
    input: (element as HTMLInputElement).type,
    onControl: element.matches("a[href], button:not(.person, .pin, .face)"),
    dialog: name,
    singleKeys: desk.preferences.single_keys,
    counting: desk.session?.state.counting ? desk.view.stage.size() : null,
  };
}
