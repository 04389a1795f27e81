// The 25 cells and the two columns of counts, in the prescribed order, which Tab follows. The style sheet places them.

import { COLUMN_KEYS, ROW_KEYS } from "../../labelling/keys.ts";
import { BODY_PARTS, CELLS, COUNT_KINDS, ERROR_TYPES, pluralOf, SEVERITIES, titled } from "../../labelling/taxonomy.ts";
import type { BodyPart, Cell, CellKey, CountKind, ErrorType, Severity } from "../../labelling/taxonomy.ts";
import { barsIcon, el, keyCap, keyHint, setAttribute, setClass, setText, targetButton } from "../../page/dom.ts";
import { cellName, countName, countStepName, zoneName } from "../accessible_names.ts";
import { type Answer, countOf, markAt, totalOf } from "../answer.ts";
import { suggestedCount } from "../suggestions.ts";
import { entryText } from "../typing.ts";
import { countWarningIn, openWarningsIn } from "../warnings.ts";
import type { State } from "../state.ts";

type CellView = { box: HTMLElement; check: HTMLElement; zones: ReturnType<typeof zoneOf>[] };
type CountView = ReturnType<typeof countBox>;

export class Grid {
  readonly cells: Map<CellKey, CellView> = new Map();
  readonly counts: CountView[] = [];
  readonly heads: Map<string, HTMLElement> = new Map();
  readonly types: Map<ErrorType, HTMLElement> = new Map(ERROR_TYPES.map((type) => [type, typeTab(type)]));
  /** Shown where there is room for only one error type. */
  readonly tabs = el("div", { class: "types", role: "group", "aria-label": "Error type" }, ...this.types.values());
  readonly bubble = el("span", { class: "bubble", "aria-hidden": "true", hidden: true });
  readonly element = el("div", { class: "grid" }, ...this.build());
  drawn: Answer | null = null;
  current: Cell | null = null;

  build(): HTMLElement[] {
    const parts = el("div", { class: "parts", "aria-hidden": "true" }, ...BODY_PARTS.map((part) => this.rowHead(part)));
    const slabs = COUNT_KINDS.map((kind) => el("div", { class: `slab ${kind}`, "aria-hidden": "true" }));
    const columns = ERROR_TYPES.map((type) => this.column(type));
    const [expected, visible] = COUNT_KINDS.map((kind) => this.countColumn(kind));
    return [parts, ...slabs, expected, ...columns.slice(0, 2), visible, ...columns.slice(2)] as HTMLElement[];
  }

  rowHead(part: BodyPart) {
    const head = el("span", { class: "row-head" }, el("span", {}, titled(part)), keyCap(ROW_KEYS[part]));
    this.heads.set(part, head);
    return head;
  }

  column(type: ErrorType) {
    const head = el("h2", { id: `head-${type}` }, el("span", {}, titled(type)), keyHint(COLUMN_KEYS[type]));
    this.heads.set(type, head);
    const cells = CELLS.filter((cell) => cell.type === type).map((cell) => this.cell(cell));
    return el("section", { class: `column ${type}`, "aria-labelledby": head.id }, head, ...cells);
  }

  cell(cell: Cell) {
    const zones = SEVERITIES.map((severity) => zoneOf(cell, severity));
    const check = checkSign();
    const box = el(
      "div",
      { class: "cell", role: "group", tabindex: 0, "data-cell": cell.key, "data-target": `cell:${cell.key}` },
      ...zones.map(({ button }) => button),
      check,
    );
    this.cells.set(cell.key, { box, check, zones });
    return box;
  }

  countColumn(kind: CountKind) {
    const head = el("p", { class: "count-head", "aria-hidden": "true" }, titled(kind), el("span", {}, " count"));
    const counts = BODY_PARTS.map((part) => countBox(kind, part));
    this.counts.push(...counts);
    const boxes = counts.map(({ box }) => box);
    return el("section", { class: `counts ${kind}`, "aria-label": `${titled(kind)} counts` }, head, ...boxes);
  }

  update(state: State, { closed }: { closed: boolean }) {
    const { answer, cell, place } = state;
    if (state.suggestion !== undefined) this.drawSuggestions(answer, state.suggestion);
    if (answer !== this.drawn) {
      for (const each of CELLS) this.drawCell(answer, each);
      for (const view of this.counts) drawCount(answer, view);
      for (const [type, tab] of this.types)
        setText(tab.lastElementChild as HTMLElement, String(answer.marks.filter((mark) => mark.cell.type === type).length || ""));
      this.drawn = answer;
    }
    this.element.dataset.type = cell.type;
    for (const [type, tab] of this.types) setAttribute(tab, "aria-pressed", String(type === cell.type));
    this.drawCurrent(place.at === "people" && this.current === null ? null : cell, place.at !== "people");
    this.drawTyped(state);
    setClass(this.element, "closed", closed);
  }

  drawSuggestions(answer: Answer, suggestion: import("../suggestions.ts").Suggestion | null) {
    for (const { kind, part, box } of this.counts) {
      const value = kind === "visible" ? suggestedCount(suggestion, answer, part) : null;
      const shown = box.querySelector<HTMLElement>(".suggested");
      if (value === null) shown?.remove();
      else if (!shown) box.append(suggestionButton(part, value));
      else setText(shown, String(value));
    }
  }

  drawCell(answer: Answer, cell: Cell) {
    const { box, check, zones } = this.viewOf(cell);
    setAttribute(box, "aria-label", cellName(answer, cell));
    setClass(box, "nothing", countOf(answer, cell.kind, cell.part) === 0);
    const doubtful = openWarningsIn(answer, cell).length > 0;
    check.hidden = !doubtful;
    for (const { severity, button, affected, total } of zones) {
      const mark = markAt(answer, cell, severity);
      setText(affected, mark ? String(mark.affected) : "");
      setText(total, mark ? `/${totalOf(answer, mark) ?? "?"}` : "");
      setClass(total, "own", mark?.ownTotal != null);
      setClass(button, "filled", mark !== null);
      setAttribute(button, "aria-label", zoneName(answer, cell, severity));
    }
  }

  /** `working` says that the focus is in the grid, not on the people. */
  drawCurrent(cell: Cell | null, working: boolean) {
    for (const [name, head] of this.heads)
      setClass(head, "current", working && cell !== null && (name === cell.type || name === cell.part));
    for (const { box, kind, part } of this.counts)
      setClass(box, "current", working && cell !== null && kind === cell.kind && part === cell.part);
    if (this.current !== cell) {
      if (this.current) this.viewOf(this.current).box.classList.remove("current");
      if (cell) this.viewOf(cell).box.classList.add("current");
      this.current = cell;
    }
  }

  drawTyped({ typed, cell }: State) {
    this.bubble.hidden = !typed;
    if (!typed) return;
    setText(this.bubble, entryText(typed));
    const { box } = this.viewOf(cell);
    if (this.bubble.parentElement !== box) box.append(this.bubble);
  }

  /** Sets whether Tab stops at the buttons inside the cells: only if single-key shortcuts are off. */
  tabbable(on: boolean) {
    const buttons: NodeListOf<HTMLButtonElement> = this.element.querySelectorAll("button:not(.suggested)");
    for (const button of buttons) button.tabIndex = on ? 0 : -1;
  }

  viewOf(cell: Cell): CellView {
    return this.cells.get(cell.key) as CellView;
  }

  focus(cell: Cell) {
    this.viewOf(cell).box.focus({ preventScroll: !window.matchMedia("(max-width: 700px)").matches });
  }
}

const typeTab = (type: ErrorType) => targetButton(`type:${type}`, "type-tab", {}, titled(type), el("b", {}));

function zoneOf(cell: Cell, severity: Severity) {
  const affected = el("span", { class: "affected" });
  const total = el("span", { class: "total" });
  const letter = el("span", { class: "letter" }, severity, barsIcon(SEVERITIES.indexOf(severity) + 1));
  const button = targetButton(`zone:${cell.key}.${severity}`, `zone ${severity}`, { tabindex: -1 }, affected, total, letter);
  return { severity, button, affected, total };
}

const suggestionButton = (part: BodyPart, value: number) =>
  targetButton(`suggestion:${part}`, "suggested", { "aria-label": `${value} visible ${pluralOf(part)} suggested, take` }, String(value));

const checkSign = () => el("span", { class: "check", "aria-hidden": "true", hidden: true }, "!");

function countBox(kind: CountKind, part: BodyPart) {
  const button = (name: string, way = "") => targetButton(`count:${kind}.${part}${way}`, name, { tabindex: -1 });
  // The number opens the keypad; only the signs change the count at once.
  const figure = button("figure");
  const steps = ([1, -1] as const).map((by) => ({ by, button: button("step-by", by > 0 ? ".+" : ".-") }));
  for (const { by, button } of steps) button.append(el("span", { "aria-hidden": "true" }, by > 0 ? "+" : "−"));
  const check = checkSign();
  const box = el("div", { class: "count" }, figure, ...steps.map(({ button }) => button), check);
  return { kind, part, box, figure, check, steps };
}

function drawCount(answer: Answer, { kind, part, box, figure, check, steps }: CountView) {
  const count = answer.counts[kind][part];
  setText(figure, count ? String(count.value) : "·");
  setClass(box, "set", Boolean(count?.set));
  setClass(box, "guess", Boolean(count && !count.set));
  check.hidden = countWarningIn(answer, kind, part) === null;
  setAttribute(figure, "aria-label", countName(answer, kind, part));
  for (const { by, button } of steps) setAttribute(button, "aria-label", countStepName(answer, kind, part, by));
}
