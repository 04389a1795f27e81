/** The annotation page of realism and of rating forms: it takes over the inputs of the plain form, and adds keys. */

import { wholeImageAction } from "./labelling/targets.js";
import { readJson, start } from "./page/start.js";
import { Form } from "./rating_form/form.js";
import { InputGuard } from "./rating_form/input_guard.js";
import { ANSWERS, inputAction, keyAction } from "./rating_form/keys.js";
import { dispatch, openState, restingMessage } from "./rating_form/state.js";
import { View } from "./rating_form/view.js";

const boxes = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#answer [data-item]"))];
const config = readJson("page-config");
if (config) begin(new Form(config, boxes.map((box) => box.dataset.item ?? "")));

/** @param {Form} form */
function begin(form) {
  const guard = new InputGuard();
  // Nothing waits for it.
  const help = import("./rating_form/help.js");
  help.catch(() => undefined);
  /** Replaces an action that may be meant for the previous image with one that does nothing. @param {any} action */
  const guarded = (action) => (action && form.oneKey && ANSWERS.has(action.type) && !guard.open ? { type: "too_early" } : action);
  start({
    rules: {
      open: (payload, options) => openState(form, payload, options),
      dispatch: (state, action) => dispatch(form, state, action),
      toPayload: (answer) => form.toPayload(answer),
      fromPayload: (payload) => form.fromPayload(payload),
      resting: (state) => restingMessage(form, state),
      firstCell: () => null,
      differences: (mine, theirs) => form.differences(mine, theirs),
    },
    view: (desk, settings, addressOf) => new View(desk, settings, addressOf, { form, guard, boxes }),
    keyAction: (press, context) => guarded(keyAction(press, context)),
    inputAction: (input) => guarded(inputAction(input)),
    focusAction: (target) => {
      const item = /** @type {HTMLElement | null} */ (target.closest("[data-item]"))?.dataset.item;
      return item ? { type: "focus.cell", cell: item } : null;
    },
    clickAction: (target) => guarded(wholeImageAction(target)),
    help: () => help.then(({ helpOf }) => helpOf(form, config.reminders)),
    scored: false,
  });
}
