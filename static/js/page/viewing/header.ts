// The bar at the top: image, progress and save state.

import { type SaveState, saveText } from "../../labelling/save_texts.ts";
import { byId, el, icon, setAttribute, setClass, setText, targetButton } from "../dom.ts";
import type { AssignmentState } from "../server_types.ts";

const TROUBLE = new Set(["offline", "failed", "signed_out", "changed", "other_tab", "barred"]);

const TOOLS = [["settings", "Settings"], ["help", "Keyboard shortcuts"]] as const;

/** The button and the menu for what a narrow bar has no room for. */
function menu() {
  const queue = document.querySelector<HTMLAnchorElement>(".desk-header .brand");
  const entries = [
    el("a", { class: "button", href: queue?.href }, "Back to queue"),
    ...TOOLS.map(([name, title]) => targetButton(name, "button", {}, title)),
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
  readonly button = targetButton("save", "button compact", { hidden: true });
  shown = "";

  constructor(readonly addressOf: (id: number) => string) {
    this.save.replaceChildren(this.sign, this.text, this.button);
    byId("tools").append(...TOOLS.map(([name, title]) => targetButton(name, "tool", { "aria-label": title }, icon(name))), ...menu());
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
