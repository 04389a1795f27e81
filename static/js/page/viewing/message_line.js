// The message line: one fixed row for the latest message, or for one about the current cell.

import { partsOf } from "../../labelling/messages.js";
import { el, icon, keyCap } from "../dom.js";

/** @import { Message, Part } from "../../labelling/messages.js" */

export class MessageLine {
  constructor() {
    // Two live regions: refusals interrupt a screen reader; all other messages wait.
    this.calm = el("p", { class: "text", role: "status", id: "line-text" });
    this.urgent = el("p", { class: "text", role: "alert" });
    this.sign = el("span", { class: "sign" });
    this.offers = el("span", { class: "offers" });
    this.element = el("div", { class: "line info", id: "line" }, this.sign, this.calm, this.urgent, this.offers);
    /** @type {Message | null} */
    this.said = null;
  }

  /** @param {Message} message a new object for each message, even with the same text */
  update(message) {
    if (message === this.said) return;
    this.said = message;
    const stop = message.kind === "stop";
    const [speaking, silent] = stop ? [this.urgent, this.calm] : [this.calm, this.urgent];
    this.element.className = `line ${message.kind}`;
    this.element.dataset.code = message.code;
    this.sign.replaceChildren(icon(message.kind));
    silent.replaceChildren();
    speaking.replaceChildren(...message.parts.map(pieceOf));
    this.offers.replaceChildren(
      ...message.offers.map(({ label, key }, position) =>
        el("button", { type: "button", class: "button offer", "data-offer": position }, label, keyCap(key)),
      ),
    );
  }
}

/** @param {Part} part @returns {Node | string} */
function pieceOf({ style, text }) {
  if (style === "keys") return el("span", { class: "about-keys" }, ...partsOf(text).map(pieceOf));
  if (style === "strong") return el("b", {}, text);
  return style === "key" ? keyCap(text) : text;
}
