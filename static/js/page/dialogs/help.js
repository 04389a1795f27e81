// The help dialog: keyboard shortcuts, pointer and reminders.

import { el, keyCap } from "../dom.js";
import { dialogButton } from "./frame.js";

/** @import { Help } from "../protocol_kit.js" */
/** @import { Content } from "./frame.js" */

/**
 * @param {{help: Help, guide: string, close: () => void}} host
 * @returns {Content}
 */
export function helpDialog({ help, guide, close }) {
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

/** @param {string} key */
const cap = (key) => (key === "–" ? el("span", {}, "–") : keyCap(key));

/** @param {readonly string[]} items */
const list = (items) => el("ul", {}, ...items.map((item) => el("li", {}, item)));
