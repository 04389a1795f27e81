/** The annotation page of presence: 25 toggles replace the plain form, which still works without JavaScript. */

import { withCells } from "./labelling/taxonomy.ts";
import { start } from "./page/start.ts";
import { differencesBetween, fromPayload, toPayload } from "./presence/answer.ts";
import { clickAction, focusAction, keyAction, KEYS, POINTER, REMINDERS } from "./presence/keys.ts";
import { dispatch, openState, restingMessage } from "./presence/state.ts";
import { View } from "./presence/view.ts";

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
});
