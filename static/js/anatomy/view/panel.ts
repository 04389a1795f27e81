// The definition of the current cell, and its marks with their buttons.

import { type Cell, SEVERITIES, type Severity, SEVERITY_TITLES, titled } from "../../labelling/taxonomy.ts";
import { barsIcon, el, icon, setAttribute, setClass, setText, targetButton } from "../../page/dom.ts";
import { OwnGuideline } from "../../page/project_guideline.ts";
import { MessageLine } from "../../page/viewing/message_line.ts";
import { markAt, marksIn, totalOf } from "../answer.ts";
import { lastTouched, type State } from "../state.ts";

type Chip = ReturnType<typeof chipOf>;

const PEOPLE_TEXT =
  "everyone in the image, including people who are only partly visible. This number fills in the counts of body parts; correct only those that differ.";

export class Panel {
  title = el("h2", { id: "panel-title" });
  readonly walk = el("span", { class: "walk", hidden: true }, ...walkers());
  readonly chips = SEVERITIES.map(chipOf);
  text = el("p", { class: "definitions", id: "definitions" });
  readonly own = new OwnGuideline();
  readonly line = new MessageLine();
  readonly marks = el("div", { class: "chips" }, ...this.chips.map(({ chip }) => chip));
  readonly element = el(
    "section",
    { class: "panel", "aria-labelledby": this.title.id },
    el("div", { class: "panel-head" }, this.walk, this.title, this.marks),
    this.text,
    this.own.element,
    this.line.element,
  );
  told = "";

  /** Definitions by error type and body part, and "walk". */
  constructor(readonly definitions: Record<string, string>) {}

  update(state: State) {
    const { answer, cell, place, message } = state;
    // Keep showing the marks of the current cell while People has the focus.
    const people = place.at === "people" && marksIn(answer, cell).length === 0;
    this.define(people ? null : cell);
    this.walk.hidden = !state.guided;
    let shown = 0;
    for (const chip of this.chips) if (drawChip(chip, state)) shown += 1;
    setClass(this.element, "crowded", shown > 2);
    this.line.update(message);
  }

  /** Shows the definition of a cell; null stands for the people. */
  define(cell: Cell | null) {
    const key = cell?.key ?? "people";
    if (this.told === `${key} ${this.own.key}`) return;
    this.told = `${key} ${this.own.key}`;
    this.own.show(cell);
    setText(this.title, cell ? cell.title : "How many people?");
    const texts = cell ? [cell.type, cell.part] : ["people"];
    this.text.replaceChildren(
      ...texts.flatMap((name) => [el("b", {}, `${titled(name)}:`), ` ${this.own.text(name) ?? this.definitions[name] ?? PEOPLE_TEXT} `]),
    );
  }
}

const walkers = () =>
  ["previous", "next"].map((way) => targetButton(`walk.${way}`, "tool", { "aria-label": `${titled(way)} cell` }, icon(way)));

function chipOf(severity: Severity) {
  const button = (name: string, ...content: (Node | string)[]) =>
    el("button", { type: "button", class: `chip-${name}` }, ...content);
  const affected = el("span", { class: "chip-affected" });
  const total = el("span", { class: "chip-figure" });
  const pins = el("span", { class: "chip-figure" });
  const buttons = {
    "-": button("fewer", "−"),
    "+": button("more", "+"),
    total: button("total", total),
    pin: button("pin", icon("pin"), pins),
  };
  const bars = barsIcon(SEVERITIES.indexOf(severity) + 1);
  const letter = el("span", { class: `letter ${severity}`, title: SEVERITY_TITLES[severity] }, severity, bars);
  const chip = el(
    "div",
    { class: "chip", role: "group", hidden: true },
    letter,
    buttons["-"],
    affected,
    buttons["+"],
    el("span", { class: "of" }, "of"),
    buttons.total,
    buttons.pin,
  );
  return { severity, chip, affected, total, pins, buttons };
}

function drawChip({ severity, chip, affected, total, pins, buttons }: Chip, state: State) {
  const { answer, cell } = state;
  const mark = markAt(answer, cell, severity);
  chip.hidden = mark === null;
  if (!mark) return false;
  const name = `${SEVERITY_TITLES[severity]}`;
  const out = totalOf(answer, mark);
  setText(affected, String(mark.affected));
  setText(total, out === null ? "?" : String(out));
  setText(pins, String(mark.pins.length));
  setClass(buttons.total, "own", mark.ownTotal !== null);
  const touched = lastTouched(state, cell);
  setClass(chip, "touched", touched?.severity === severity);
  setAttribute(chip, "aria-label", `${mark.affected} of ${out ?? "?"} ${name}`);
  setAttribute(buttons["-"], "aria-label", `− one ${name} fewer`);
  setAttribute(buttons["+"], "aria-label", `+ one ${name} more`);
  setAttribute(buttons.total, "aria-label", `${out ?? "?"} is the total of this ${name} mark; change it`);
  setAttribute(buttons.pin, "aria-label", `${mark.pins.length} of ${mark.affected} pinned; pin this ${name} mark`);
  setAttribute(buttons.pin, "aria-pressed", String(state.pinning?.cell === cell && state.pinning.severity === severity));
  for (const [what, button] of Object.entries(buttons))
    setAttribute(button, "data-target", `panel:${cell.key}.${severity}.${what}`);
  return true;
}
