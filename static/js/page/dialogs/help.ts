// The help dialog: keyboard shortcuts, pointer and reminders.

import { el, keyCap } from "../dom.ts";
import { type Content, dialogButton } from "./frame.ts";
import type { Help } from "../protocol_kit.ts";

export function helpDialog({ help, guide, close }: { help: Help; guide: string; close: () => void }): Content {
  const rows = help.keys.map(([keys, does]) =>
    el("div", { class: "key-row" }, el("dt", {}, ...keys.split(" ").map(cap)), el("dd", {}, does)),
  );
  const body = [
    el("div", { class: "help-columns", tabindex: 0, role: "region", "aria-label": "Keyboard shortcuts and reminders" },
      el("section", {}, el("h3", {}, "Keys"), el("dl", { class: "keys" }, ...rows)),
      el("section", {},
        el("h3", {}, "Mouse and touch"), list(help.pointer),
        el("h3", {}, "Keep in mind"), list(help.reminders),
        ...(guide ? [el("p", {}, el("a", { href: guide, target: "_blank" }, "Guideline"))] : []),
      ),
    ),
  ];
  const done = dialogButton("Close", close, { primary: true });
  // The text needs no focus, so the focus starts here.
  done.autofocus = true;
  return { title: "Keyboard shortcuts", body, buttons: [done], wide: true };
}

const cap = (key: string) => (key === "–" ? el("span", {}, "–") : keyCap(key));

const list = (items: readonly string[]) => el("ul", {}, ...items.map((item) => el("li", {}, item)));
