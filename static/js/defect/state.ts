// The state of the page for one image, and the actions on it.

import { type History, historyActs, remembered } from "../labelling/history.ts";
import { ROW_KEYS } from "../labelling/keys.ts";
import { longTextMessage, type Message, sharedMessage, submittedMessage } from "../labelling/messages.ts";
import { lengthOf, SHARED_ACTS, storable } from "../labelling/remarks.ts";
import { SEVERITIES } from "../labelling/taxonomy.ts";
import { fromPayload, isNamedByKeys, LONGEST_TEXT, maskedBy, MOST_DEFECTS, numberOf, UNMARKED, withDefect } from "./answer.ts";
import type { Answer, Defect, Payload } from "./answer.ts";
import * as texts from "./message_texts.ts";
import type { Suggestion } from "./suggestions.ts";

type Step = { readonly answer: Answer; readonly active: string | null };

export interface State extends History<Step> {
  answer: Answer; // as saved and sent
  active: string | null; // the id of the defect that is painted
  tool: "outline" | "brush";
  erasing: boolean;
  writing: boolean; // whether the description has the focus
  typed: string; // the defect whose description is being typed: its letters are one step
  message: Message;
  suggestion: Suggestion | null | undefined; // undefined if the batch shows none. It is no part of the annotation
  rejected: readonly number[]; // the places of suggested masks that are not to be drawn
}

const said = texts.defectsMessage;

type Change = Partial<State> & { effects?: readonly any[] };

const FOCUS = Object.freeze([{ type: "focus" }]);

/** The initial state of the page for an image. */
export function openState(
  payload: Partial<Payload>,
  { submitted = null, suggestion }: { submitted?: { number: number; skipped?: boolean } | null; suggestion?: Suggestion | null } = {},
): State {
  const answer = fromPayload(payload);
  const message = submitted ? submittedMessage(submitted) : restingMessage({ answer });
  const active = answer.defects.at(-1)?.id ?? null;
  return { answer, active, tool: "outline", erasing: false, writing: false, typed: "", message, past: [], future: [], suggestion, rejected: [] };
}

export const restingMessage = ({ answer }: Pick<State, "answer">) => said(answer.boxes ? "boxes" : "arrival");

const activeIn = ({ answer, active }: Pick<State, "answer" | "active">): Defect | null =>
  answer.defects.find(({ id }) => id === active) ?? null;

/** The same state if nothing happens. */
export function dispatch(state: State, { letter = "", ...action }: any): { state: State; effects: readonly any[] } {
  const named = isNamedByKeys(state.answer) ? CELLS[letter] : null;
  const change = (named ? onActive(state, ({ id }) => detailed(state.answer, id, ...named)) : ACTS[action.type]?.(state, action)) ?? null;
  if (!change) return { state, effects: [] };
  const { effects = [], ...changed } = change;
  const typed = changed.typed ?? "";
  const stepping = "past" in changed || !changed.answer || (typed !== "" && typed === state.typed);
  const past = stepping ? {} : remembered<Step>(state, { answer: state.answer, active: state.active });
  return { state: { ...state, ...past, ...changed, typed }, effects };
}

const ACTS: Readonly<Record<string, (state: State, action: any) => Change | null>> = {
  ...SHARED_ACTS,
  add,
  mask: masked,
  "suggestion.take": taken,
  "suggestion.reject": ({ rejected }, { place }) => ({ rejected: rejected.includes(place) ? rejected.filter((each) => each !== place) : [...rejected, place] }),
  delete: removed,
  kind: ({ answer, active }, { kind }) => onActive({ answer, active }, (defect) => withDefect(answer, defect.id, { kind })),
  text: described,
  detail: ({ answer }, { id, detail, value }) => ({ answer: detailed(answer, id, detail, value), message: restingMessage({ answer }) }),
  effect: ({ answer }, { effect }) => ({ answer: { ...answer, effect: effect === answer.effect ? null : effect } }),
  digit: (state, { digit }) => (digit ? chosen(state, state.answer.defects[digit - 1]?.id) : noDefect(state)),
  no_errors: noDefect,
  clear: ({ answer }) => ({ answer: { ...answer, defects: [], effect: null, noErrors: true }, active: null, message: said("no_defect") }),
  "focus.cell": (state, { cell, writing = false }) => (state.active === cell && state.writing === writing ? null : chosen({ ...state, writing }, cell)),
  "focus.away": ({ writing }) => (writing ? { writing: false } : null),
  write: (state) => (activeIn(state) ? { writing: true, effects: FOCUS } : { message: said("no_active") }),
  leave: () => ({ writing: false, effects: FOCUS }),
  tool: (_, { tool }) => ({ tool, ...told({ type: "escape" }) }),
  erase: ({ erasing }) => ({ erasing: !erasing }),
  ...Object.fromEntries(["arrow", "holes", "resize", "rectangle", "zoom", "pan", "hide", "close_outline", "backspace"].map((name) => [name, (_: State, action: object) => told(action)])),
  enter: pressEnter,
  escape: ({ answer, message }, action) => (message.offers.length ? { message: restingMessage({ answer }) } : told(action)),
  ...historyActs(({ answer, active }: State): Step => ({ answer, active }), (done, step): Change => ({ ...step, message: said(done === "Undone" ? "undone" : "redone") })),
  submit,
  take: (_, { payload }) => {
    const answer = fromPayload(payload);
    return { answer, active: answer.defects.at(-1)?.id ?? null, message: sharedMessage("taken") };
  },
};

/** What the editor alone carries out. */
const told = (asked: object): Change => ({ effects: [{ type: "edit", asked }] });

/** The letters of the 25 cells, where a box needs body part and severity and no other tool. */
const CELLS: Readonly<Record<string, ["part" | "severity", string]>> = Object.fromEntries([
  ...Object.entries({ ...ROW_KEYS, other: "O" }).map(([part, key]) => [key.toLowerCase(), ["part", part]]),
  ...SEVERITIES.map((severity) => [severity, ["severity", severity]]),
]);

function detailed(answer: Answer, id: string, detail: "part" | "severity", value: string) {
  const kind = answer.defects.find((each) => each.id === id)?.kind ?? null;
  // A body part that is wrong is built wrongly, unless the annotator says otherwise.
  const built = answer.boxes && detail === "part" && value && value !== "other" && !kind ? { kind: "structural" } : {};
  return withDefect(answer, id, { [detail]: value, ...built });
}

function add({ answer }: State): Change {
  if (answer.defects.length >= MOST_DEFECTS) return { message: said("full") };
  const number = Math.max(0, ...answer.defects.map(numberOf)) + 1;
  const defect: Defect = { id: `d${number}`, kind: null, text: "", ...UNMARKED };
  return { answer: { ...answer, defects: [...answer.defects, defect], noErrors: false }, active: defect.id, message: texts.addedMessage(defect, answer), effects: FOCUS, writing: false };
}

/** Takes a suggested mask as a defect of one's own, to be corrected; what is wrong there is still to be said. */
function taken(state: State, { place }: any): Change | null {
  const found = state.suggestion?.masks[place];
  const change = add(state);
  const { answer, active } = change;
  if (!found || !answer || !active) return found ? change : null;
  return { ...change, answer: withDefect(answer, active, { kind: found.kind, ...maskedBy(found.mask.counts, answer.size[0]) }) };
}

function masked({ answer }: State, { id, mask, area, box, centre }: any): Change | null {
  const before = answer.defects.find((defect) => defect.id === id);
  if (!before || before.mask === mask) return null;
  const next = withDefect(answer, id, { mask, area, box, centre });
  const defect = next.defects.find((each) => each.id === id);
  return defect ? { answer: next, message: texts.defectMessage(defect, next) } : null;
}

function removed(state: State): Change {
  const { answer, active } = state;
  const place = answer.defects.findIndex(({ id }) => id === active);
  const defect = answer.defects[place];
  if (!defect) return { message: said("no_active") };
  const defects = answer.defects.filter((each) => each !== defect);
  return { answer: { ...answer, defects }, active: (defects[place] ?? defects.at(-1))?.id ?? null, message: texts.removedMessage(defect), writing: false };
}

function onActive(state: Pick<State, "answer" | "active">, change: (defect: Defect) => Answer): Change {
  const defect = activeIn(state);
  if (!defect) return { message: said("no_active") };
  const answer = change(defect);
  const changed = answer.defects.find(({ id }) => id === defect.id);
  return { answer, ...(changed ? { message: texts.defectMessage(changed, answer) } : {}) };
}

function described({ answer }: State, { id, text }: any): Change {
  const kept = storable(text);
  if (lengthOf(kept) > LONGEST_TEXT) return { message: longTextMessage(lengthOf(kept), LONGEST_TEXT) };
  return { answer: withDefect(answer, id, { text: kept }), typed: id, message: restingMessage({ answer }) };
}

function chosen({ answer, writing }: State, id: string | undefined): Change | null {
  const defect = answer.defects.find((each) => each.id === id);
  return defect ? { active: defect.id, writing, message: texts.defectMessage(defect, answer) } : null;
}

function noDefect({ answer }: State): Change {
  if (!answer.noErrors && answer.defects.length) return { message: texts.contradictionMessage(answer.defects.length) };
  return { answer: { ...answer, noErrors: !answer.noErrors }, message: said(answer.noErrors ? "no_defect_off" : "no_defect") };
}

function pressEnter(state: State): Change | null {
  const offer = state.message.offers.find(({ key }) => key === "Enter");
  if (offer) return ACTS[offer.action.type]?.(state, offer.action) ?? null;
  return told({ type: "stamp" });
}

function submit({ answer, active, message }: State, { offline = false }: { offline?: boolean }): Change {
  const missing = texts.missingIn(answer);
  if (missing) {
    const { defect, writes } = missing;
    return { message: missing.message, active: defect?.id ?? active, writing: writes, effects: writes ? FOCUS : [] };
  }
  return offline ? { message: sharedMessage("offline") } : { message, effects: [{ type: "submit" }] };
}
