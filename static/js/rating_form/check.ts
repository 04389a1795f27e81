// A check: keep or drop each mask and each description. Its answers are those of a rating form of two questions a thing.

import { type KeyContext, type KeyPress, letterOf, takesSingleKeys } from "../labelling/keys.ts";
import { message } from "../labelling/messages.ts";
import { dispatch, type State as FormState } from "./state.ts";
import type { Answer, Form } from "./form.ts";

/** Whose masks alone are shown, and whether none is. */
export type State = FormState & { readonly only: string; readonly hidden: boolean };

const PARTS = ["mask", "text"];

const LETTERS: Readonly<Record<string, any>> = {
  k: { type: "both", vote: "keep" },
  d: { type: "both", vote: "drop" },
  m: { type: "turn", part: "mask" },
  t: { type: "turn", part: "text" },
  v: { type: "look", hidden: true },
  z: { type: "undo" },
};

export const CHECK_HELP = {
  keys: [
    ["K", "keep the mask and the description, and go on"],
    ["D", "drop both, and go on"],
    ["M T", "turn the vote on the mask, on the description"],
    ["↑ ↓", "previous or next mask"],
    ["V", "held: hide all masks"],
    ["1 – 9", "only the masks of A, of B, …; again: all"],
    ["Z", "undo"],
    ["N", "note"],
  ] as [string, string][],
  pointer: ["Click a choice; the next open one becomes current."],
};

/** The key of the thing that a question is about. */
export const thingOf = (item: string) => item.slice(0, item.lastIndexOf("_"));

/** The keys of all things. */
const thingsOf = ({ items }: Form): string[] => [...new Set(items.map(({ name }) => thingOf(name)))];

const openIn = (form: Form, answer: Answer) => [...new Set(form.open(answer).map(({ name }) => thingOf(name)))];

export const restingOf = (form: Form) => (answer: Answer) =>
  openIn(form, answer).length
    ? message("info", "arrival", "Keep or drop each mask and each description.[[ `K` keeps, `D` drops both. `M` turns the mask’s vote, `T` the description’s.]]")
    : message("ok", "rated", "All are judged.[[ `Ctrl Enter` submits.]]");

export function checkDispatch(form: Form, state: State, action: any): { state: FormState; effects: readonly any[] } {
  const key = thingOf(state.current);
  if (action.type === "look") return { state: { ...state, hidden: action.hidden ?? false, only: lookedAt(form, state, action) } as State, effects: [] };
  if (action.type === "thing") {
    const things = thingsOf(form);
    const next = things[things.indexOf(key) + action.by];
    return dispatch(form, state, next ? { type: "focus.cell", cell: `${next}_${PARTS[0]}` } : { type: "none" });
  }
  if (action.type === "turn") {
    const item = `${key}_${action.part}`;
    const value = state.answer.said[item] === "keep" ? "drop" : "keep";
    const turned = dispatch(form, state, { type: "answer", item, value });
    return { ...turned, state: { ...turned.state, current: state.current } };
  }
  if (action.type === "both") {
    const [one, other] = PARTS.map((part) => ({ type: "answer", item: `${key}_${part}`, value: action.vote }));
    const both = dispatch(form, dispatch(form, state, one).state, other);
    // One key is one step.
    return { ...both, state: { ...both.state, past: both.state.past.slice(0, state.past.length + 1) } };
  }
  const open = openIn(form, state.answer);
  if (action.type === "submit" && open.length && !action.offline) {
    const words = `Not submitted: ${listed(open)} ${open.length > 1 ? "are" : "is"} not judged.`;
    const current = form.open(state.answer)[0]?.name ?? state.current;
    return { state: { ...state, current, message: message("stop", "unanswered", words) }, effects: [{ type: "focus" }] };
  }
  return dispatch(form, state, action);
}

const listed = (keys: readonly string[]) => [keys.slice(0, -1).join(", "), keys.at(-1)].filter(Boolean).join(" and ");

/** The masks that alone are shown: a second time, all are. */
function lookedAt(form: Form, { only }: State, { place }: { place?: number }) {
  if (place === undefined) return only;
  const letters = [...new Set(thingsOf(form).map((key) => key.replace(/[0-9]+$/, "")))];
  const letter = letters[place - 1] ?? "";
  return letter === only ? "" : letter;
}

/** The action of a key that only a check knows. */
export function checkAction(press: KeyPress, context: KeyContext): any {
  const { ctrlKey, metaKey, altKey, shiftKey, repeat, key } = press;
  if (ctrlKey || metaKey || altKey || shiftKey || repeat || context.dialog || !takesSingleKeys(press, { ...context, inText: context.inText ?? false })) return null;
  if (key === "ArrowUp" || key === "ArrowDown") return { type: "thing", by: key === "ArrowUp" ? -1 : 1 };
  if (/^[1-9]$/.test(key)) return { type: "look", place: Number(key) };
  return LETTERS[letterOf(press) ?? ""] ?? null;
}
