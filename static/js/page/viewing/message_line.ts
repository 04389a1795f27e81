// The message line: one fixed row for the latest message, or for one about the current cell.

import { type Message, type Part, partsOf } from "../../labelling/messages.ts";
import { el, icon, keyCap } from "../dom.ts";

export class MessageLine {
  // Two live regions: refusals interrupt a screen reader; all other messages wait.
  readonly calm = el("p", { class: "text", role: "status", id: "line-text" });
  readonly urgent = el("p", { class: "text", role: "alert" });
  readonly sign = el("span", { class: "sign" });
  readonly offers = el("span", { class: "offers" });
  readonly element = el("div", { class: "line info", id: "line" }, this.sign, this.calm, this.urgent, this.offers);
  said: Message | null = null;

  /** Each message is a new object, even with the same text. */
  update(message: Message) {
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

function pieceOf({ style, text }: Part): Node | string {
  if (style === "keys") return el("span", { class: "about-keys" }, ...partsOf(text).map(pieceOf));
  if (style === "strong") return el("b", {}, text);
  return style === "key" ? keyCap(text) : text;
}
