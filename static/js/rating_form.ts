/** The annotation page of realism and of rating forms: it takes over the inputs of the plain form, and adds keys. */

import { readJson, start } from "./page/start.ts";
import { Form, itemOf } from "./rating_form/form.ts";
import { helpOf } from "./rating_form/help.ts";
import { InputGuard } from "./rating_form/input_guard.ts";
import { ANSWERS } from "./rating_form/keys.ts";
import { kitOf } from "./rating_form/kit.ts";
import { View } from "./rating_form/view.ts";

const boxes = [...document.querySelectorAll<HTMLElement>("#answer [data-item]")];
const config = readJson("page-config");
if (config) begin(new Form({ ...config, items: boxes.map(itemOf) }));

function begin(form: Form) {
  const guard = new InputGuard();
  const kit = kitOf(form);
  /** Replaces an action that may be meant for the previous image with one that does nothing. */
  const guarded = (action: any) =>
    (action && form.oneKey && ANSWERS.has(action.type) && !guard.open ? { type: "too_early" } : action);
  start({
    ...kit,
    view: (desk, settings, addressOf) => new View(desk, settings, addressOf, form, guard, boxes),
    keyAction: (press, context) => guarded(kit.keyAction(press, context)),
    inputAction: (input) => guarded(kit.inputAction?.(input)),
    clickAction: (target) => guarded(kit.clickAction(target)),
    help: () => helpOf(form, config.reminders),
  });
}
