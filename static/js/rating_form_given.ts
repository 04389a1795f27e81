/** The page of a check, and of a rating of descriptions: the rules of a rating form, asked about what the server has given. */

import { CHECK_HELP, checkAction, checkDispatch, restingOf } from "./rating_form/check.ts";
import { GivenView } from "./rating_form/given_view.ts";
import { Api } from "./page/api.ts";
import { LocalCopies } from "./page/saving/local_copies.ts";
import { readJson, start } from "./page/start.ts";
import { Form, type Item, itemOf } from "./rating_form/form.ts";
import { helpOf } from "./rating_form/help.ts";
import { InputGuard } from "./rating_form/input_guard.ts";
import { kitOf } from "./rating_form/kit.ts";

const boxes = [...document.querySelectorAll<HTMLElement>("#answer [data-item]")];
const assignment = readJson("assignment");
if (assignment && boxes.length) begin(new Form({ items: boxes.map(aboutThing), protocol: assignment.protocol }));

function aboutThing(box: HTMLElement): Item {
  const item = itemOf(box);
  const kind = item.choices.every(([value]) => /^[0-9]$/.test(value)) ? "scale" : "choice";
  return { ...item, kind, title: `${box.closest("section")?.dataset["thing"]}: ${item.title}` };
}

function begin(form: Form) {
  const copies = new LocalCopies(readJson("page-config").user, "");
  // What was said about other things is not about these.
  if (copies.read(assignment.id)?.payload.made_from !== assignment.payload.made_from) copies.remove(assignment.id, true);
  const isCheck = document.querySelector("#picture .overlay") !== null;
  const reminder = document.querySelector<HTMLElement>("#line")?.dataset["reminder"] ?? "";
  // The server drops answers about what has changed meanwhile: the page has to show what it is now.
  class ChangingApi extends Api {
    override async post(...sent: Parameters<Api["post"]>) {
      const reply = await super.post(...sent);
      const changed = reply.body.warnings?.some(({ code }: { code: string }) => code === "changed");
      if (changed || JSON.stringify(reply.body.errors ?? {}).includes("has changed since")) location.reload();
      return reply;
    }
  }
  const kit = kitOf(form);
  if (isCheck) form.resting = restingOf(form);
  start(
    {
      ...kit,
      rules: {
        ...kit.rules,
        open: (payload, options) => ({ ...kit.rules.open(payload, options), only: "", hidden: false }),
        toPayload: (answer) => ({ ...form.toPayload(answer), made_from: assignment.payload.made_from }),
        ...(isCheck ? { dispatch: (state, action) => checkDispatch(form, state, action) } : {}),
      },
      view: (desk, settings, addressOf, act) => {
        const view = new GivenView(desk, settings, addressOf, form, new InputGuard(), boxes);
        document.addEventListener("keyup", () => view.stage.picture.hasAttribute("data-hidden") && act({ type: "look" }));
        return view;
      },
      keyAction: (press, context) => (isCheck ? checkAction(press, context) : null) ?? kit.keyAction(press, context),
      help: () => (isCheck ? { ...CHECK_HELP, reminders: [reminder] } : helpOf(form, [reminder])),
      paged: true,
    },
    ChangingApi,
  );
}
