// One dialog at a time on top of the page. Only the sign-in dialog may cover another one.

import { el } from "../dom.ts";

export interface Content {
  title: string;
  body: (Node | string)[];
  buttons: HTMLElement[]; // Ctrl+Enter presses the last one
  wide?: boolean;
  confirm?: () => void;
  choose?: (place: number) => void; // what the key of a digit does
}

export class Frame {
  readonly refusal = el("p", { class: "refusal", role: "alert" });
  readonly element: HTMLDialogElement;

  constructor(
    readonly name: string,
    readonly content: Content,
    readonly closed: () => void,
  ) {
    const { title, body, buttons, wide = false } = content;
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

  /** Says why the dialog does not close. */
  refuse(text: string) {
    this.refusal.textContent = text;
  }

  close() {
    if (!this.element.isConnected) return;
    this.element.close();
    this.element.remove();
    this.closed();
  }
}

export function dialogButton(words: string, press: () => void, { primary = false }: { primary?: boolean } = {}) {
  const button = el("button", { type: "button", class: primary ? "button primary" : "button" }, words);
  button.addEventListener("click", press);
  return button;
}

/** A multi-line text field with its label. */
export function textField(label: string, text: string, rows = 4) {
  const field = el("textarea", { rows, id: "dialog-text" });
  field.value = text;
  return { field, element: el("div", { class: "field" }, el("label", { for: field.id }, label), field) };
}
