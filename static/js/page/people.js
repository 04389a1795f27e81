// The number of people: a group of radio buttons, with one for 9 or more.

import { el, keyCap, setAttribute, setText } from "./dom.js";

/** @import { State } from "../labelling/state.js" */

const BUTTONS = [1, 2, 3, 4, 5, 6, 7, 8];

export class People {
  constructor() {
    this.radios = BUTTONS.map((people) =>
      el(
        "button",
        { type: "button", class: "person", role: "radio", tabindex: -1, "data-target": `people:${people}` },
        String(people),
      ),
    );
    this.more = el("button", { type: "button", class: "person", role: "radio", tabindex: -1, "data-target": "people:+" });
    const all = [...this.radios, this.more];
    const label = el("span", { class: "people-label", id: "people-label" }, "People");
    const cap = keyCap("W");
    cap.setAttribute("aria-hidden", "true");
    this.group = el("div", { class: "persons", role: "radiogroup", "aria-labelledby": label.id }, ...all);
    this.element = el("div", { class: "people" }, label, cap, this.group);
  }

  /** @param {State} state */
  update({ answer: { people } }) {
    for (const [position, radio] of this.radios.entries()) mark(radio, people === BUTTONS[position]);
    const beyond = people !== null && people > BUTTONS.length;
    setText(this.more, beyond ? `${people}+` : "+");
    setAttribute(this.more, "aria-label", beyond ? `${people}+ people, one more` : "+ 9 people or more");
    mark(this.more, beyond);
    this.radioOf(people).tabIndex = 0;
  }

  /** @param {number | null} people */
  radioOf(people) {
    const [first] = this.radios;
    const own = people === null ? first : (this.radios[people - 1] ?? this.more);
    return /** @type {HTMLElement} */ (own);
  }

  /** @param {State} state */
  focus({ answer: { people } }) {
    this.radioOf(people).focus({ preventScroll: true });
  }
}

/** @param {HTMLElement} radio @param {boolean} checked */
function mark(radio, checked) {
  setAttribute(radio, "aria-checked", String(checked));
  radio.tabIndex = -1;
}
