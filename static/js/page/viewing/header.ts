// The bar at the top: image, progress and save state.

import { type SaveState, saveText } from "../../labelling/save_texts.ts";
import { byId, el, icon, setAttribute, setClass, setText } from "../dom.ts";
import type { AssignmentState } from "../server_types.ts";

const TROUBLE = new Set(["offline", "failed", "signed_out", "changed", "other_tab", "barred"]);

/** The button and the menu for what a narrow bar has no room for. */
function menu() {
  const queue = document.querySelector<HTMLAnchorElement>(".desk-header .brand");
  const entries = [
    el("a", { class: "button", href: queue?.href }, "Back to queue"),
    el("button", { type: "button", class: "button", "data-target": "settings" }, "Settings"),
    el("button", { type: "button", class: "button", "data-target": "help" }, "Keyboard shortcuts"),
  ];
  const list = el("div", { class: "desk-menu", id: "desk-menu", popover: "auto" }, ...entries);
  list.addEventListener("click", () => list.hidePopover());
  const button = el("button", { type: "button", class: "tool menu", popovertarget: list.id, "aria-label": "Menu" }, icon("menu"));
  return [button, list];
}

export class Header {
  readonly place = byId("place");
  readonly heading = byId("heading");
  readonly batch = byId("batch");
  readonly progress = byId("progress") as HTMLProgressElement;
  steps = { previous: byId("step-previous"), next: byId("step-next") };
  readonly save = byId("save-state");
  readonly sign = el("span", { class: "sign" });
  text = el("span", { class: "text" });
  readonly button = el("button", { type: "button", class: "button compact", "data-target": "save", hidden: true });
  shown = "";

  constructor(readonly addressOf: (id: number) => string) {
    this.save.replaceChildren(this.sign, this.text, this.button);
    const tools = ["settings", "help"].map((name) =>
      el("button", { type: "button", class: "tool", "data-target": name }, icon(name)),
    );
    for (const [position, name] of ["Settings", "Keyboard shortcuts"].entries()) tools[position]?.setAttribute("aria-label", name);
    byId("tools").append(...tools, ...menu());
  }

  show({ position, total, done, batch, previous, next }: AssignmentState) {
    const place = position ? `${position} of ${total}` : "Withdrawn";
    const title = position ? `Image ${place}` : "Withdrawn image";
    setText(this.place, place);
    setText(this.heading, title);
    document.title = `${title} · Anatomark`;
    setText(this.batch, batch.name);
    this.progress.max = total;
    this.progress.value = done;
    for (const [way, id] of [["previous", previous], ["next", next]] as const) {
      setAttribute(this.steps[way], "href", id === null ? null : this.addressOf(id));
      setAttribute(this.steps[way], "aria-disabled", id === null ? "true" : null);
    }
  }

  update(save: SaveState) {
    const { text, button } = saveText(save);
    if (this.shown === text) return;
    this.shown = text;
    const trouble = TROUBLE.has(save.state);
    setAttribute(this.save, "role", trouble ? "status" : null);
    this.save.dataset.state = save.state;
    setClass(this.save, "trouble", trouble);
    this.sign.replaceChildren(...(trouble ? [icon("warn")] : save.state === "saved" ? [icon("ok")] : []));
    setText(this.text, text);
    this.button.hidden = button === null;
    setText(this.button, button ?? "");
  }
}
