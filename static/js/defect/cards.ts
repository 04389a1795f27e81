// The defects as cards: number, kind, place, area, and of the active one the inputs.

import { el, keyHint, setAttribute, setText, targetButton } from "../page/dom.ts";
import { DETAILS, inWords, isNamedByKeys, kindOf, KINDS, LONGEST_TEXT, numberOf, pixelsOf, placeOf } from "./answer.ts";
import type { Defect, Size } from "./answer.ts";
import { COLOURS } from "./editor.ts";
import type { Box } from "./rle.ts";
import type { State } from "./state.ts";

export const colourClass = (id: string) => `mask-${((numberOf({ id }) - 1) % COLOURS.length) + 1}`;

/** The number of a defect in its colour, or of a suggestion; within a size, at its place on the image. */
export function numberTag({ id, box: [left, top] }: { id: string; box: Box }, [height, width]: Size = [0, 0]) {
  const isOwn = id.startsWith("d");
  const tag = el("span", { class: `number-tag ${isOwn ? colourClass(id) : "suggestion"}`, "aria-hidden": "true" }, isOwn ? id.slice(1) : id.toUpperCase());
  if (width) Object.assign(tag.style, { left: `${(left / width) * 100}%`, top: `${(top / height) * 100}%` });
  return tag;
}

const DETAIL_NAMES: readonly ("part" | "severity")[] = ["part", "severity"];

export class Cards {
  readonly cards: Map<string, Card> = new Map();
  readonly list = el("ol", { class: "defects" });
  words = el("span", {}, "");
  readonly key = keyHint("A");
  readonly add = targetButton("add", "button add", {}, this.words, this.key);
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
      const card = this.cards.get(defect.id) ?? new Card(defect.id, byKeys, this.act);
      this.cards.set(defect.id, card);
      card.update(defect, { size, details }, defect.id === active, locked);
    }
    // A new one; after undo, one may come back between two others.
    const order = defects.map(({ id }) => this.cards.get(id)?.element).filter((element) => element !== undefined);
    if (order.some((element, place) => this.list.children[place] !== element)) this.list.replaceChildren(...order);
    this.add.hidden = locked;
    this.key.hidden = byKeys;
    setText(this.words, defects.length ? "New defect" : "Mark the first defect");
    this.add.classList.toggle("primary", !defects.length && !noErrors);
  }

  write(id: string | null) {
    this.cards.get(id ?? "")?.text.focus();
  }
}

class Card {
  readonly name = `Defect ${numberOf(this)}`;
  readonly kind = el("b", {});
  readonly place = el("span", {});
  readonly area = el("span", { class: "muted" });
  readonly head = targetButton(`defect:${this.id}`, "defect-head", {}, numberTag({ id: this.id, box: [0, 0, 0, 0] }), this.kind, this.place, this.area);
  readonly kinds = KINDS.map(({ code, title, key }) => targetButton(`kind:${code}`, "button compact", { "aria-pressed": "false" }, title, this.byKeys ? "" : keyHint(key)));
  readonly text = el("textarea", { rows: 3, maxlength: LONGEST_TEXT, "aria-label": `${this.name}: what is wrong`, placeholder: this.byKeys ? "What is wrong, if you like" : "What is wrong, and with what?" });
  readonly details = DETAIL_NAMES.map((detail) => this.detail(detail));
  readonly detailed = el("div", { class: "row" }, ...this.details);
  readonly rectangle = this.inNumbers();
  readonly remove = targetButton("delete", "button quiet compact", {}, "Delete", keyHint("Del"));
  readonly inputs = el("div", { class: "defect-inputs", hidden: true },
    el("div", { class: "row" }, el("div", { class: "segments", role: "group", "aria-label": `${this.name}: kind` }, ...this.kinds), this.remove),
    this.detailed, this.text, this.rectangle,
  );
  readonly said = el("p", { class: "said" });
  readonly element = el("li", { class: "defect", "data-defect": this.id }, this.head, this.inputs, this.said);

  /** Whether letters name body part and severity, not the kind: `byKeys`. */
  constructor(readonly id: string, readonly byKeys: boolean, readonly act: (action: any) => void) {
    this.text.addEventListener("input", () => act({ type: "text", id, text: this.text.value }));
  }

  detail(detail: "part" | "severity") {
    const [title, keys] = detail === "part" ? ["Body part", "T L F H E O"] : ["Severity", "A B C"];
    const options = Object.entries({ "": this.byKeys ? `${title} ${keys}` : title, ...DETAILS[detail] }).map(([value, words]) => el("option", { value }, words));
    const select = el("select", { "aria-label": `${this.name}: ${title.toLowerCase()}` }, ...options);
    select.addEventListener("change", () => this.act({ type: "detail", id: this.id, detail, value: select.value }));
    return select;
  }

  /** For people who do not draw. */
  inNumbers() {
    const numbers = ["x", "y", "width", "height"].map((side) => el("input", { type: "text", inputmode: "numeric", "aria-label": `${this.name}: ${side} of a rectangle, in pixels`, placeholder: side }));
    const mark = el("button", { type: "button", class: "button compact" }, "Mark");
    mark.addEventListener("click", () => this.act({ type: "rectangle", box: numbers.map(({ value }) => Number(value) || 0) }));
    return el("details", { class: "rectangle" }, el("summary", {}, "Rectangle in numbers"), el("div", { class: "row" }, ...numbers, mark));
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
    setText(this.area, pixelsOf(defect));
    setAttribute(this.head, "aria-label", `${this.name}, ${inWords(defect, size)}`);
    setAttribute(this.head, "aria-pressed", String(active));
    const comes = active && this.inputs.hidden;
    this.element.classList.toggle("active", active);
    this.inputs.hidden = !active;
    if (comes) requestAnimationFrame(() => this.element.scrollIntoView({ block: "nearest" }));
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
