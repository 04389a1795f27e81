/** The annotation page of anatomy: a grid replaces the plain form, which still works without JavaScript. */

import { differencesBetween, fromPayload, toPayload } from "./anatomy/payload.ts";
import { dispatch } from "./anatomy/dispatch.ts";
import { KEYS, POINTER, REMINDERS } from "./anatomy/view/help.ts";
import { clickAction, focusAction, keypadName, keypadOf, pickAction } from "./anatomy/pointer.ts";
import { openState, restingMessage, visitedCells } from "./anatomy/state.ts";
import { View } from "./anatomy/view/view.ts";
import { confirmedCells } from "./anatomy/warnings.ts";
import { gridKeyAction } from "./labelling/keys.ts";
import { withCells } from "./labelling/taxonomy.ts";
import { listenToKeypad } from "./page/input/keypad.ts";
import { start } from "./page/start.ts";

start({
  rules: {
    open: openState,
    dispatch,
    toPayload,
    revive: withCells,
    fromPayload,
    resting: restingMessage,
    firstCell: ({ marks: [mark] }) => mark?.cell.key ?? null,
    confirmed: confirmedCells,
    visited: visitedCells,
    differences: differencesBetween,
  },
  view: (desk, config, addressOf) => new View(desk, config, addressOf),
  keyAction: gridKeyAction,
  focusAction,
  clickAction,
  numbers: { of: keypadOf, pick: pickAction, nameOf: keypadName },
  listenToKeypad,
  help: () => ({ keys: KEYS, pointer: POINTER, reminders: REMINDERS }),
  scored: true,
});
