// Map clicks and taps to actions. Clickable elements carry a target name, such as "zone:missing.limbs.c".
//
//   people:2  people:+ (a keypad) zone:CELL.SEVERITY           count:KIND.PART.+  count:KIND.PART.-
//   type:TYPE  cell:CELL          panel:CELL.SEVERITY.WHAT     WHAT is + - total pin
//   pin:CELL.SEVERITY.INDEX       count:KIND.PART              for the keypad of a count
//   dot:PART.INDEX                dots                         starts and ends counting by dots
//   suggestion:PART               takes a suggested count, with Shift all
//
// Targets that concern the whole image: labelling/targets.ts.

import { type Keypad, wholeImageAction } from "../labelling/targets.ts";
import { cellAt, LARGEST_NUMBER, titled } from "../labelling/taxonomy.ts";
import type { BodyPart, CountKind, ErrorType, Severity } from "../labelling/taxonomy.ts";
import { type Answer, countOf, markAt, totalOf } from "./answer.ts";
import type { Action } from "../labelling/actions.ts";
import type { State } from "./state.ts";

const LARGEST_ON_KEYPAD = 29;

const FIRST_BEYOND_THE_BUTTONS = 9;

function split(target: string) {
  const [what = "", rest = ""] = target.split(/:(.*)/s);
  const [one = "", two = "", three = "", four = ""] = rest.split(".");
  return { what, rest, one, two, three, four };
}

/** The action of a plain left click or tap; null for a target that opens a keypad, and for anything else. */
export function clickAction(target: string, { shift = false }: { shift?: boolean } = {}): Action | null {
  const plain = wholeImageAction(target);
  if (plain) return plain;
  const { what, rest, one, two, three, four } = split(target);
  const severity = three as Severity;
  if (what === "people") return rest === "+" ? null : { type: "people.set", people: Number(rest) };
  if (what === "type") return { type: "column", errorType: rest as ErrorType };
  if (what === "cell") return { type: "focus.cell", cell: cellAt(rest) };
  if (what === "zone") return { type: "mark.add", cell: cellAt(one, two), severity, by: shift ? -1 : 1 };
  if (what === "count" && three) return countClick(one, two, three);
  if (target === "dots") return { type: "dots" };
  if (what === "suggestion") return { type: "suggestion.take", part: rest as BodyPart, all: shift };
  if (what === "dot") return { type: "dot.remove", part: one as BodyPart, index: Number(two) };
  if (what === "pin") return { type: "focus.pin", cell: cellAt(one, two), severity, index: Number(four) };
  if (what === "panel") return panelClick(`${one}.${two}`, severity, four);
  return null;
}

const countClick = (kind: string, part: string, sign: string): Action => ({
  type: "count.step",
  kind: kind as CountKind,
  part: part as BodyPart,
  by: sign === "+" ? 1 : -1,
});

function panelClick(key: string, severity: Severity, what: string): Action | null {
  const cell = cellAt(key);
  if (what === "+" || what === "-") return { type: "mark.add", cell, severity, by: what === "+" ? 1 : -1 };
  return what === "pin" ? { type: "pin.mode", mark: { cell, severity } } : null;
}

/**
 * The keypad of a target; null if it has none. A right click or long press on a zone or count opens it, as does a plain
 * click on the number of a count, a total in the panel or the last button of People.
 */
export function keypadOf(answer: Answer, target: string): Keypad | null {
  const { what, one, two, three, four } = split(target);
  if (what === "count") {
    const current = countOf(answer, one as CountKind, two as BodyPart);
    return { target: `count:${one}.${two}`, least: 0, most: LARGEST_ON_KEYPAD, current };
  }
  const most = LARGEST_ON_KEYPAD;
  if (target === "people:+")
    return { target, least: FIRST_BEYOND_THE_BUTTONS, most, current: answer.people, upTo: LARGEST_NUMBER };
  if (what !== "zone" && !(what === "panel" && four === "total")) return null;
  const cell = cellAt(one, two);
  const mark = markAt(answer, cell, three as Severity);
  const total = mark ? totalOf(answer, mark) : countOf(answer, cell.kind, cell.part);
  return what === "zone"
    ? { target, least: 0, most: Math.min(total ?? most, most), current: mark?.affected ?? 0 }
    : { target, least: mark?.affected ?? 1, most, current: total };
}

/** The action for a number picked on the keypad of a target. */
export function pickAction(target: string, number: number): Action | null {
  const { what, one, two, three } = split(target);
  const severity = three as Severity;
  if (what === "count") return { type: "count.set", kind: one as CountKind, part: two as BodyPart, count: number };
  if (what === "people") return { type: "people.set", people: number };
  if (what === "zone") return { type: "mark.put", cell: cellAt(one, two), severity, affected: number };
  if (what === "panel") return { type: "mark.total", cell: cellAt(one, two), severity, total: number };
  return null;
}

/** The action for a focused element; null if nothing changes. */
export function focusAction(target: Element, state?: State): Action | null {
  const cell = target.closest<HTMLElement>("[data-cell]")?.dataset.cell;
  if (cell) return { type: "focus.cell", cell: cellAt(cell) };
  if (target.matches(".person, .persons")) return { type: "focus.people" };
  const pin = target.matches(".pin") ? (target as HTMLElement).dataset.target : undefined;
  if (!pin) return { type: "focus.away" };
  const { place, cell: current } = state ?? {};
  const here = place?.at === "pin" && pin === `pin:${current?.key}.${place.severity}.${place.index}`;
  return here ? null : clickAction(pin);
}

export function keypadName(target: string) {
  const [what, name = ""] = target.split(":");
  const [one = "", two = "", three = ""] = name.split(".");
  if (what === "people") return "How many people?";
  if (what === "count") return `${titled(two)}, ${one}: how many`;
  const { title } = cellAt(one, two);
  return what === "zone" ? `${title}, ${three}: how many affected` : `${title}, ${three}: out of how many`;
}
