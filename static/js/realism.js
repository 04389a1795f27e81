/** The realism page: replaces the plain form with ten buttons. Without JavaScript the form still works. */

import { start } from "./page/start.js";
import { differencesBetween, fromPayload, toPayload } from "./realism/answer.js";
import { KEYS, POINTER, REMINDERS } from "./realism/help.js";
import { InputGuard } from "./realism/input_guard.js";
import { ANSWERS, clickAction, isHeld, keyAction } from "./realism/keys.js";
import { dispatch, openState, restingMessage } from "./realism/state.js";
import { View } from "./realism/view.js";

const guard = new InputGuard();

/** The action, or one that does nothing while it could be meant for the previous image. @param {any} action */
const guarded = (action) => (action && ANSWERS.has(action.type) && !guard.open ? { type: "too_early" } : action);

start({
  rules: {
    open: openState,
    dispatch,
    toPayload,
    fromPayload,
    resting: restingMessage,
    firstCell: () => null,
    differences: differencesBetween,
  },
  view: (desk, config, addressOf) => new View(desk, config, addressOf, guard),
  keyAction: (press, context) => guarded(keyAction(press, context)),
  isHeld,
  focusAction: () => null,
  clickAction: (target) => guarded(clickAction(target)),
  keypadOf: () => null,
  pickAction: () => null,
  keypadName: () => "",
  help: { keys: KEYS, pointer: POINTER, reminders: REMINDERS },
  scored: false,
});
