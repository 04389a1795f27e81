// What the pages of all rating forms share.

import { wholeImageAction } from "../labelling/targets.ts";
import { inputAction, keyAction } from "./keys.ts";
import { dispatch, openState, restingMessage } from "./state.ts";
import type { Kit } from "../page/protocol_kit.ts";
import type { Form } from "./form.ts";

export const kitOf = (form: Form): Omit<Kit, "view" | "help"> => ({
  rules: {
    open: (payload, options) => openState(form, payload, options),
    dispatch: (state, action) => dispatch(form, state, action),
    toPayload: (answer) => form.toPayload(answer),
    fromPayload: (payload) => form.fromPayload(payload),
    resting: (state) => restingMessage(form, state),
    differences: (mine, theirs) => form.differences(mine, theirs),
  },
  keyAction,
  inputAction,
  focusAction: (target) => {
    const item = target.closest<HTMLElement>("[data-item]")?.dataset.item;
    return item ? { type: "focus.cell", cell: item } : null;
  },
  clickAction: wholeImageAction,
});
