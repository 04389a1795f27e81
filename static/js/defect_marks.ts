/** The annotation page of marks: the mask editor replaces the plain form, which still works without JavaScript. */

import { differencesBetween, fromPayload, toPayload } from "./defect/answer.ts";
import { KEYS, POINTER, REMINDERS } from "./defect/help.ts";
import { clickAction, focusAction, keyAction } from "./defect/keys.ts";
import { pictureOf } from "./defect/tools.ts";
import { dispatch, openState, restingMessage } from "./defect/state.ts";
import { View } from "./defect/view.ts";
import { start } from "./page/start.ts";

start({
  rules: {
    open: openState,
    dispatch,
    toPayload,
    fromPayload,
    resting: restingMessage,
    differences: (mine, theirs) => {
      const rows = differencesBetween(mine, theirs);
      return rows.length ? [{ what: "Masks", mine: pictureOf(mine), theirs: pictureOf(theirs) }, ...rows] : rows;
    },
    zoom: "free",
    quietMs: 1500,
  },
  view: (desk, _, addressOf, act) => new View(desk, addressOf, act),
  keyAction,
  focusAction,
  clickAction,
  help: () => ({ keys: KEYS, pointer: POINTER, reminders: REMINDERS }),
});
