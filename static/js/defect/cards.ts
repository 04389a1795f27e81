// The defects as cards: number, kind, place, area, and of the active one the inputs.

import { el, keyHint, setAttribute, setText } from "../page/dom.ts";
import { DETAILS, inWords, isNamedByKeys, kindOf, KINDS, LONGEST_TEXT, numberOf, placeOf } from "./answer.ts";
import type { Defect, Size } from "./answer.ts";
import { COLOURS } from "./editor.ts";
import type { State } from "./state.ts";

export const colourClass = (id: string) => `mask-${((numberOf({ id }) - 1) % COLOURS.length) + 1}`;

/** The number of a defect in its colour. */
export const numberTag = (id: string) =>
  el("span", { class: `number-tag ${colourClass(id)}`, "aria-hidden": "true" }, id.slice(1));

const DETAIL_NAMES: readonly ("part" | "severity")[] = ["part", "severity"];

export class Cards {
  readonly cards: Map<string, Card> = new Map();
  readonly list = el("ol", { class: "defects" });
  words = el("span", {}, "");
  readonly key = keyHint("A");
  readonly add = el("button", { type: "button", class: "button add", "data-target": "add" }, this.words, this.key);
  element = el("div", { class: "defect-cards" }, this.list, this.add);

  constructor(readonly act: (action: any) => void) {}

  update({ answer, active }: State, locked: boolean) {
    const { defects, size, details, noErrors } = answer;
    const byKeys = isNamedByKeys(answer);
    for (const [id, card] of this.cards)
      if (card.byKeys !== byKeys || !defects.some((defect) => defect.id === id)) {
        card.element.remove();
        this.cards.delete(id);
      }
    for (const defect of defects) {
      const card = this.cards.get(defect.id) ?? this.begin(defect.id, byKeys);
      card.update(defect, { size, details }, defect.id === active, locked);
    }
    // After undo, one may come back between two others.
    const order = defects.map(({ id }) => this.cards.get(id)?.element).filter((element) => element !== undefined);
    if (order.some((element, place) => this.list.children[place] !== element)) this.list.replaceChildren(...order);
    this.add.hidden = locked;
    this.key.hidden = byKeys;
    setText(this.words, defects.length ? "New defect" : "Mark the first defect");
    this.add.classList.toggle("primary", !defects.length && !noErrors);
  }

  begin(id: string, byKeys: boolean) {
    const card = new Card(id, byKeys, this.act);
    this.cards.set(id, card);
    this.list.append(card.element);
    return card;
  }

  write(id: string | null) {
    this.cards.get(id ?? "")?.text.focus();
  }
}

class Card {
  readonly name: string;
  readonly kind = el("b", {});
  readonly place = el("span", {});
  readonly area = el("span", { class: "muted" });
  readonly head: HTMLButtonElement;
  readonly kinds = KINDS.map(({ code, title, key }) => el("button", { type: "button", class: "button compact", "data-target": `kind:${code}`, "aria-pressed": "false" }, title, this.byKeys ? "" : keyHint(key)));
  text: HTMLTextAreaElement;
  readonly details: HTMLSelectElement[];
  readonly detailed: HTMLDivElement;
  numbers: HTMLInputElement[];
  readonly rectangle: HTMLDetailsElement;
  readonly remove = el("button", { type: "button", class: "button quiet compact", "data-target": "delete" }, "Delete", keyHint("Del"));
  readonly inputs: HTMLDivElement;
  said = el("p", { class: "said" });
  element: HTMLLIElement;

  /** Whether letters name body part and severity, not the kind: `byKeys`. */
  constructor(id: string, readonly byKeys: boolean, act: (action: any) => void) {
    const name = `Defect ${numberOf({ id })}`;
    this.name = name;
    this.head = el("button", { type: "button", class: "defect-head", "data-target": `defect:${id}` }, numberTag(id), this.kind, this.place, this.area);
    this.text = el("textarea", { rows: 3, maxlength: LONGEST_TEXT, "aria-label": `${name}: what is wrong`, placeholder: byKeys ? "What is wrong, if you like" : "What is wrong, and with what?" });
    this.text.addEventListener("input", () => act({ type: "text", id, text: this.text.value }));
    this.details = DETAIL_NAMES.map((detail) => {
      const head = detail === "part" ? ["Body part", "T L F H E O"] : ["Severity", "A B C"];
      const options = Object.entries({ "": byKeys ? head.join(" ") : head[0], ...DETAILS[detail] }).map(([value, title]) => el("option", { value }, title));
      const select = el("select", { "aria-label": `${name}: ${detail === "part" ? "body part" : "severity"}` }, ...options);
      select.addEventListener("change", () => act({ type: "detail", id, detail, value: select.value }));
      return select;
    });
    this.detailed = el("div", { class: "row" }, ...this.details);
    this.numbers = ["x", "y", "width", "height"].map((side) => el("input", { type: "text", inputmode: "numeric", "aria-label": `${name}: ${side} of a rectangle, in pixels`, placeholder: side }));
    const mark = el("button", { type: "button", class: "button compact" }, "Mark");
    mark.addEventListener("click", () => act({ type: "rectangle", box: this.numbers.map(({ value }) => Number(value) || 0) }));
    this.rectangle = el("details", { class: "rectangle" }, el("summary", {}, "Rectangle in numbers"), el("div", { class: "row" }, ...this.numbers, mark));
    const kinds = el("div", { class: "segments", role: "group", "aria-label": `${name}: kind` }, ...this.kinds);
    this.inputs = el("div", { class: "defect-inputs" }, el("div", { class: "row" }, kinds, this.remove), this.detailed, this.text, this.rectangle);
    this.element = el("li", { class: "defect", "data-defect": id }, this.head, this.inputs, this.said);
  }

  update(defect: Defect, { size, details }: { size: Size; details: boolean }, active: boolean, locked: boolean) {
    this.detailed.hidden = !details;
    for (const [place, detail] of DETAIL_NAMES.entries()) {
      const select = this.details[place] as HTMLSelectElement;
      select.value = defect[detail] ?? "";
      select.disabled = locked;
    }
    setText(this.kind, kindOf(defect.kind) || "No kind yet");
    setText(this.place, placeOf(defect, size));
    setText(this.area, defect.area ? `${defect.area.toLocaleString("en-GB")} px` : "not marked");
    setAttribute(this.head, "aria-label", `${this.name}, ${inWords(defect, size)}`);
    setAttribute(this.head, "aria-pressed", String(active));
    this.element.classList.toggle("active", active);
    this.inputs.hidden = !active;
    this.said.hidden = active || !defect.text;
    setText(this.said, defect.text);
    if (this.text.value !== defect.text) this.text.value = defect.text;
    this.text.readOnly = locked;
    this.remove.hidden = this.rectangle.hidden = locked;
    for (const [place, button] of this.kinds.entries()) {
      setAttribute(button, "aria-pressed", String(KINDS[place]?.code === defect.kind));
      setAttribute(button, "aria-disabled", locked ? "true" : null);
    }
  }
}
