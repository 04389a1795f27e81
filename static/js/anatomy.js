/** The annotation page of anatomy: a grid replaces the plain form, which still works without JavaScript. */

import { differencesBetween } from "./anatomy/comparison.js";
import { dispatch } from "./anatomy/dispatch.js";
import { KEYS, POINTER, REMINDERS } from "./anatomy/view/help.js";
import { fromPayload, toPayload } from "./anatomy/payload.js";
import { clickAction, focusAction, keypadName, keypadOf, pickAction } from "./anatomy/pointer.js";
import { openState, restingMessage } from "./anatomy/state.js";
import { View } from "./anatomy/view/view.js";
import { confirmedCells } from "./anatomy/warnings.js";
import { gridKeyAction } from "./labelling/grid_keys.js";
import { withCells } from "./labelling/taxonomy.js";
import { listenToKeypad } from "./page/input/keypad.js";
import { start } from "./page/start.js";

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
