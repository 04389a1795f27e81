/** The page of a check, and of a rating of descriptions: the rules of a rating form, asked about what the server has given. */

import { CHECK_HELP, checkAction, checkDispatch, itemOf, restingOf } from "./rating_form/check.js";
import { GivenView } from "./rating_form/given_view.js";
import { wholeImageAction } from "./labelling/targets.js";
import { Api } from "./page/api.js";
import { LocalCopies } from "./page/saving/local_copies.js";
import { readJson, start } from "./page/start.js";
import { Form } from "./rating_form/form.js";
import { helpOf } from "./rating_form/help.js";
import { InputGuard } from "./rating_form/input_guard.js";
import { inputAction, keyAction } from "./rating_form/keys.js";
import { dispatch, openState, restingMessage } from "./rating_form/state.js";

const boxes = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#answer [data-item]"))];
const assignment = readJson("assignment");
if (assignment && boxes.length) begin(new Form({ items: boxes.map(itemOf), protocol: assignment.protocol }));

/** @param {Form} form */
function begin(form) {
  const copies = new LocalCopies(readJson("page-config").user, "");
  // What was said about other things is not about these.
  if (copies.read(assignment.id)?.payload.made_from !== assignment.payload.made_from) copies.remove(assignment.id, true);
  const isCheck = document.querySelector("#picture .overlay") !== null;
  const reminder = document.querySelector("#line .text")?.textContent ?? "";
  // The server drops answers about what has changed meanwhile: the page has to show what it is now.
  class ChangingApi extends Api {
    /** @override @type {Api["post"]} */
    async post(...sent) {
      const reply = await super.post(...sent);
      const changed = reply.body.warnings?.some((/** @type {{code: string}} */ { code }) => code === "changed");
      if (changed || JSON.stringify(reply.body.errors ?? {}).includes("has changed since")) location.reload();
      return reply;
    }
  }
  start(
    {
      rules: {
        open: (payload, options) => ({ ...openState(form, payload, options), only: "", hidden: false }),
        dispatch: (state, action) => (isCheck ? checkDispatch(form, state, action) : dispatch(form, state, action)),
        toPayload: (answer) => ({ ...form.toPayload(answer), made_from: assignment.payload.made_from }),
        fromPayload: (payload) => form.fromPayload(payload),
        resting: (state) => (isCheck ? restingOf(form, state) : restingMessage(form, state)),
        firstCell: () => null,
        differences: (mine, theirs) => form.differences(mine, theirs),
      },
      view: (desk, settings, addressOf, act) => new GivenView(desk, settings, addressOf, { form, guard: new InputGuard(), boxes, act }),
      keyAction: (press, context) => (isCheck ? checkAction(press, context) : null) ?? keyAction(press, context),
      inputAction,
      focusAction: (target) => {
        const item = /** @type {HTMLElement | null} */ (target.closest("[data-item]"))?.dataset["item"];
        return item ? { type: "focus.cell", cell: item } : null;
      },
      clickAction: wholeImageAction,
      help: () => (isCheck ? { ...CHECK_HELP, reminders: [reminder] } : helpOf(form, [reminder])),
      scored: false,
      paged: true,
    },
    ChangingApi,
  );
}
