/** The annotation page of realism and of rating forms: it takes over the inputs of the plain form, and adds keys. */

import { wholeImageAction } from "./labelling/targets.ts";
import { readJson, start } from "./page/start.ts";
import { Form } from "./rating_form/form.ts";
import { InputGuard } from "./rating_form/input_guard.ts";
import { ANSWERS, inputAction, keyAction } from "./rating_form/keys.ts";
import { dispatch, openState, restingMessage } from "./rating_form/state.ts";
import { View } from "./rating_form/view.ts";

const boxes = [...document.querySelectorAll<HTMLElement>("#answer [data-item]")];
const config = readJson("page-config");
if (config) begin(new Form(config, boxes.map((box) => box.dataset.item ?? "")));

function begin(form: Form) {
  const guard = new InputGuard();
  // Nothing waits for it.
  const help = import("./rating_form/help.ts");
  help.catch(() => undefined);
  /** Replaces an action that may be meant for the previous image with one that does nothing. */
  const guarded = (action: any) =>
    (action && form.oneKey && ANSWERS.has(action.type) && !guard.open ? { type: "too_early" } : action);
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
      const item = target.closest<HTMLElement>("[data-item]")?.dataset.item;
      return item ? { type: "focus.cell", cell: item } : null;
    },
    clickAction: (target) => guarded(wholeImageAction(target)),
    help: () => help.then(({ helpOf }) => helpOf(form, config.reminders)),
    scored: false,
  });
}
