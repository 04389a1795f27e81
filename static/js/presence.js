/** The annotation page of presence: 25 toggles replace the plain form, which still works without JavaScript. */

import { withCells } from "./labelling/taxonomy.js";
import { start } from "./page/start.js";
import { differencesBetween, fromPayload, toPayload } from "./presence/answer.js";
import { KEYS, POINTER, REMINDERS } from "./presence/help.js";
import { clickAction, focusAction, keyAction } from "./presence/keys.js";
import { dispatch, openState, restingMessage } from "./presence/state.js";
import { View } from "./presence/view.js";

start({
  rules: {
    open: openState,
    dispatch,
    toPayload,
    revive: withCells,
    fromPayload,
    resting: restingMessage,
    firstCell: ({ marked: [cell] }) => cell?.key ?? null,
    differences: differencesBetween,
  },
  view: (desk, config, addressOf) => new View(desk, config, addressOf),
  keyAction,
  focusAction,
  clickAction,
  help: () => ({ keys: KEYS, pointer: POINTER, reminders: REMINDERS }),
  scored: false,
});
