// One dialog at a time on top of the page. Only the sign-in dialog may cover another one.

import { el } from "../dom.js";

/**
 * @typedef {object} Content
 * @property {string} title
 * @property {(Node | string)[]} body
 * @property {HTMLElement[]} buttons Ctrl+Enter presses the last one
 * @property {boolean} [wide]
 * @property {() => void} [confirm]
 * @property {(place: number) => void} [choose] what the key of a digit does
 */

export class Frame {
  /**
   * @param {string} name
   * @param {Content} content
   * @param {() => void} closed
   */
  constructor(name, { title, body, buttons, wide = false, confirm, choose }, closed) {
    this.name = name;
    this.confirm = confirm ?? (() => this.close());
    this.choose = choose;
    this.closed = closed;
    this.refusal = el("p", { class: "refusal", role: "alert" });
    const heading = el("h2", { id: `dialog-${name}` }, title);
    this.element = el(
      "dialog",
      { class: wide ? "dialog wide" : "dialog", "aria-labelledby": heading.id },
      heading,
      ...body,
      this.refusal,
      el("div", { class: "dialog-buttons" }, ...buttons),
    );
    this.element.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.close();
    });
    document.body.append(this.element);
    this.element.showModal();
  }

  /** @param {string} text why the dialog does not close */
  refuse(text) {
    this.refusal.textContent = text;
  }

  close() {
    if (!this.element.isConnected) return;
    this.element.close();
    this.element.remove();
    this.closed();
  }
}

/**
 * @param {string} words
 * @param {() => void} press
 * @param {{primary?: boolean}} [how]
 */
export function dialogButton(words, press, { primary = false } = {}) {
  const button = el("button", { type: "button", class: primary ? "button primary" : "button" }, words);
  button.addEventListener("click", press);
  return button;
}

/**
 * A multi-line text field with its label.
 * @param {string} label
 * @param {string} text
 * @param {number} [rows]
 */
export function textField(label, text, rows = 4) {
  const field = el("textarea", { rows, id: "dialog-text" });
  field.value = text;
  return { field, element: el("div", { class: "field" }, el("label", { for: field.id }, label), field) };
}
