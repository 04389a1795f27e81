// The 25 cells, each a toggle with a second one for “unsure”, in the prescribed order, which Tab follows. The style
// sheet places them.

import { COLUMN_KEYS, ROW_KEYS } from "../labelling/keys.ts";
import { BODY_PARTS, CELLS, ERROR_TYPES, titled } from "../labelling/taxonomy.ts";
import type { BodyPart, Cell, CellKey, ErrorType } from "../labelling/taxonomy.ts";
import { el, icon, keyCap, keyHint, setAttribute, setClass, setText, targetButton } from "../page/dom.ts";
import type { State } from "./state.ts";

type Toggle = { box: HTMLElement; face: HTMLElement; doubt: HTMLElement };

/** Shown where there is no room for the whole word. */
const SHORT: Readonly<Partial<Record<ErrorType, string>>> = { configuration: "Config.", orientation: "Orient.", proportion: "Prop." };

const shortOf = (type: ErrorType) => el("span", { class: "short", "aria-hidden": "true" }, SHORT[type] ?? titled(type));

export class Toggles {
  readonly cells: Map<CellKey, Toggle> = new Map();
  readonly heads: Map<string, HTMLElement> = new Map();
  readonly element = el(
    "div",
    { class: "toggles" },
    el("div", { class: "row-heads", "aria-hidden": "true" }, ...BODY_PARTS.map((part) => this.rowHead(part))),
    ...ERROR_TYPES.map((type) => this.column(type)),
  );

  rowHead(part: BodyPart) {
    return this.head(part, el("span", {}, el("span", {}, titled(part)), keyCap(ROW_KEYS[part])));
  }

  head<T extends HTMLElement>(name: string, head: T) {
    this.heads.set(name, head);
    return head;
  }

  column(type: ErrorType) {
    const cap = keyHint(COLUMN_KEYS[type]);
    const head = this.head(type, el("h3", { id: `head-${type}` }, el("span", { class: "whole" }, titled(type)), shortOf(type), cap));
    const cells = CELLS.filter((cell) => cell.type === type).map((cell) => this.cell(cell));
    return el("section", { class: "type-column", "aria-labelledby": head.id }, head, ...cells);
  }

  cell(cell: Cell) {
    const name = `${titled(cell.type)}, ${titled(cell.part)}`;
    const sign = el("span", { class: "sign", "aria-hidden": "true" }, icon("ok"));
    const face = targetButton(`toggle:${cell.key}`, "face", { "aria-label": name }, sign);
    const doubt = targetButton(`doubt:${cell.key}`, "doubt", { tabindex: -1, "aria-label": `Unsure: ${name}` }, "unsure?");
    const box = el("div", { class: "toggle", "data-cell": cell.key }, face, doubt);
    this.cells.set(cell.key, { box, face, doubt });
    return box;
  }

  update({ answer, cell, away, guided, answered }: State, { closed }: { closed: boolean }) {
    for (const each of CELLS) {
      const { box, face, doubt } = this.toggleOf(each);
      const [on, unsure] = [answer.marked.includes(each), answer.unsure.includes(each)];
      setAttribute(face, "aria-pressed", String(on));
      setAttribute(doubt, "aria-pressed", String(unsure));
      setText(doubt, unsure ? "unsure" : "unsure?");
      setClass(box, "on", on);
      setClass(box, "unsure", unsure);
      setClass(box, "current", each === cell);
      setClass(box, "no", guided && !on && answered.includes(each));
    }
    for (const [name, head] of this.heads) setClass(head, "current", !away && (name === cell.type || name === cell.part));
    setClass(this.element, "closed", closed);
    setClass(this.element, "guided", guided);
  }

  tabbable(on: boolean) {
    for (const { doubt } of this.cells.values()) doubt.tabIndex = on ? 0 : -1;
  }

  toggleOf(cell: Cell): Toggle {
    return this.cells.get(cell.key) as Toggle;
  }

  focus(cell: Cell) {
    this.toggleOf(cell).face.focus({ preventScroll: !window.matchMedia("(max-width: 700px)").matches });
  }
}
