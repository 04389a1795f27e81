// The number of people: a group of radio buttons, with one button for 9 or more.

import { el, keyHint, setAttribute, setClass, setText, targetButton } from "../../page/dom.ts";
import type { State } from "../state.ts";

const BUTTONS = [1, 2, 3, 4, 5, 6, 7, 8];

export class People {
  readonly radios = BUTTONS.map((people) =>
    targetButton(`people:${people}`, "person", { role: "radio", tabindex: -1 }, String(people)),
  );
  readonly more = targetButton("people:+", "person", { role: "radio", tabindex: -1 });
  readonly label = el("span", { class: "people-label", id: "people-label" }, "How many\npeople?");
  readonly group = el("div", { class: "persons", role: "radiogroup", "aria-labelledby": this.label.id }, ...this.radios, this.more);
  readonly element = el("div", { class: "people" }, this.label, keyHint("W"), this.group);

  update({ answer: { people }, suggestion }: State) {
    for (const [position, radio] of this.radios.entries()) {
      setClass(radio, "proposed", suggestion?.people === BUTTONS[position]);
      mark(radio, people === BUTTONS[position]);
    }
    const beyond = people !== null && people > BUTTONS.length;
    setText(this.more, beyond ? `${people}+` : "+");
    setAttribute(this.more, "aria-label", beyond ? `${people}+ people, another number` : "+ 9 people or more");
    mark(this.more, beyond);
    // Until a number is chosen, the group has the focus: a ring around the 1 would look like a choice.
    this.group.tabIndex = people === null ? 0 : -1;
    if (people !== null) this.radioOf(people).tabIndex = 0;
  }

  radioOf(people: number) {
    return this.radios[people - 1] ?? this.more;
  }

  focus({ answer: { people } }: State) {
    (people === null ? this.group : this.radioOf(people)).focus({ preventScroll: true });
  }
}

function mark(radio: HTMLElement, checked: boolean) {
  setAttribute(radio, "aria-checked", String(checked));
  radio.tabIndex = -1;
}
