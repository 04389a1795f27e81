/** The annotation page of realism: ten buttons replace the plain form, which still works without JavaScript. */

import { start } from "./page/start.js";
import { differencesBetween, fromPayload, toPayload } from "./realism/answer.js";
import { KEYS, POINTER, REMINDERS } from "./realism/help.js";
import { InputGuard } from "./realism/input_guard.js";
import { ANSWERS, clickAction, keyAction } from "./realism/keys.js";
import { dispatch, openState, restingMessage } from "./realism/state.js";
import { View } from "./realism/view.js";

const guard = new InputGuard();

/** Replaces an action that may be meant for the previous image with one that does nothing. @param {any} action */
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
  focusAction: () => null,
  clickAction: (target) => guarded(clickAction(target)),
  keypadOf: () => null,
  pickAction: () => null,
  keypadName: () => "",
  help: { keys: KEYS, pointer: POINTER, reminders: REMINDERS },
  scored: false,
});
