// The state of the page for one image, and the actions on it. The only answer of a form of one question also submits it.

import { MOST_STEPS } from "../labelling/history.ts";
import { type Message, message, sharedMessage, submittedMessage } from "../labelling/messages.ts";
import { SHARED_ACTS } from "../labelling/remarks.ts";
import type { Answer, Form, Item, Said } from "./form.ts";

type Step = { readonly answer: Answer; readonly item: string; readonly typed: boolean };

export interface State {
  answer: Answer; // as saved and sent
  current: string; // the name of the item that keys answer
  message: Message;
  typed: string; // the first of two keys that give one answer
  focus: "" | "text" | "item"; // where in the current item: its slider or field, its text, or the item itself
  before: { number: number; answer?: Answer | undefined; skipped?: boolean } | null; // the image submitted just before
  past: readonly Step[];
  future: readonly never[]; // always empty: nothing is redone
}

type Change = Partial<State> & { effects?: readonly any[] };

const FOCUS = [{ type: "focus" }] as const;
// Submitting is an action of its own, so that the desk can refuse it while offline.
const THEN_SUBMIT = [{ type: "again", action: { type: "submit" } }] as const;
const TO_NOTE = [{ type: "open", dialog: "note" }] as const;

/** The initial state of the page for an image. */
export function openState(form: Form, payload: any, { submitted = null }: { submitted?: State["before"] } = {}): State {
  const answer = form.fromPayload(payload);
  const current = (form.open(answer)[0] ?? (form.items[0] as Item)).name;
  const state = { answer, current, typed: "", focus: "", before: submitted, past: [], future: [] } as const;
  return { ...state, message: submitted ? storedMessage(form, submitted) : restingMessage(form, state) };
}

export function restingMessage(
  form: Form,
  { answer, current, typed }: Pick<State, "answer" | "current" | "typed">,
): Message {
  const item = form.item(current);
  if (form.resting) return form.resting(answer);
  if (typed) return message("info", "choosing", "Why is it invalid? Press `1` to `5`, or `Esc`.");
  if (form.needsNote(answer)) return message("info", "note_needed", "Say why in the note.[[ `N` opens it; then `Enter` submits.]]");
  const words = form.words(item, answer);
  if (form.oneKey && words)
    return message("ok", "rated", `**${words}**. Another answer replaces it.[[ \`Enter\` submits it.]]`);
  if (!form.open(answer).length) return message("ok", "rated", "All questions answered.[[ `Enter` submits.]]");
  return message("info", "arrival", `**${item.title}** ${item.help}${keysOf(item)}${form.oneKey ? " The answer opens the next image." : ""}`);
}

/** Which keys answer an item. */
function keysOf({ kind, choices, bounds: [least, most] }: Item) {
  if (kind === "number") return ` A number from ${least} to ${most}.[[ Type it; \`Enter\` goes on.]]`;
  if (kind === "text") return "[[ `T` to write, `Esc` to leave the text.]]";
  const keys = choices.filter(([, , key]) => key.length === 1).map(([, , key]) => `\`${key.toUpperCase()}\``);
  return `[[ ${keys.length > 6 ? `${keys[0]} … ${keys.at(-1)}` : keys.join(" ")}${kind === "several" ? " tick; `Enter` goes on." : ""}]]`;
}

function storedMessage(form: Form, { answer, ...before }: NonNullable<State["before"]>): Message {
  if (!answer || !form.oneKey) return submittedMessage(before);
  return message("ok", "submitted", `**${form.words(form.items[0] as Item, answer)}** saved for image ${before.number}.`, submittedMessage(before).offers);
}

/** The state is the same one if nothing happens. */
export function dispatch(form: Form, state: State, action: any): { state: State; effects: readonly any[] } {
  const change = ACTS[action.type]?.(form, state, action) ?? SHARED_ACTS[action.type]?.(state, action) ?? null;
  if (!change) return { state, effects: [] };
  const { effects = [], ...changed } = change;
  const answer = changed.answer && !same(changed.answer, state.answer) ? changed.answer : state.answer;
  const past = answer === state.answer ? {} : { past: remembered(state, action) };
  const next = { ...state, typed: "", focus: "" as const, ...past, ...changed, answer };
  return { state: { ...next, message: change.message ?? restingMessage(form, next) }, effects };
}

const same = (one: Answer, other: Answer) => JSON.stringify(one) === JSON.stringify(other);

/** What is typed into one field is one step. */
function remembered({ answer, current, past }: State, { type, item = current }: any) {
  const [last, typed] = [past.at(-1), type === "typed"];
  return typed && last?.typed && last.item === item ? past : [...past, { answer, item, typed }].slice(-MOST_STEPS);
}

const ACTS: Readonly<Record<string, (form: Form, state: State, action: any) => Change | null>> = {
  key: pressed,
  answer: (form, state, { item, value }) => chosen(form, state, item, value),
  tick: (form, state, { item, value }) => ticked(form, state, item, value),
  typed: (_, state, { item, value }) => ({ answer: withSaid(state, item, value), current: item }),
  step: stepped,
  walk: (form, state, { by }) => {
    const asked = form.asked(state.answer);
    const next = asked[asked.indexOf(form.item(state.current)) + by];
    return next ? { current: next.name, effects: FOCUS } : null;
  },
  "focus.cell": ({ oneKey }, { current }, { cell }) => (oneKey || cell === current ? null : { current: cell }),
  write: (form, { current }) => (form.item(current).kind === "text" ? { focus: "text", effects: FOCUS } : null),
  backspace: (form, state) => (form.oneKey ? undone(form, state) : { answer: withSaid(state, state.current, ""), effects: FOCUS }),
  enter: (form, state) => {
    const next = form.openAfter(state.answer, state.current);
    return next && !form.wrong(state.answer) ? { current: next.name, effects: FOCUS } : { message: state.message, ...submitted(form, state) };
  },
  escape: () => ({ focus: "item", effects: FOCUS }),
  undo: undone,
  submit: (form, state, { offline = false }) => (offline ? { message: sharedMessage("offline") } : submitted(form, state)),
  take: (form, _, { payload }) => ({ answer: form.fromPayload(payload), message: sharedMessage("taken") }),
};

const withSaid = ({ answer }: State, name: string, value: Said): Answer => ({ ...answer, said: { ...answer.said, [name]: value } });

function pressed(form: Form, state: State, { key }: { key: string }): Change | null {
  const { choices, kind, name } = form.item(state.current);
  const typed = state.typed + key;
  const choice = choices.find(([, , own]) => own === typed);
  if (choice) return (kind === "several" ? ticked : chosen)(form, state, name, choice[0]);
  if (choices.some(([, , own]) => own.startsWith(typed))) return { typed };
  if (kind === "number" && key >= "0" && key <= "9") return { answer: withSaid(state, name, key), focus: "text", effects: FOCUS };
  return state.typed ? { typed: state.typed } : null;
}

function chosen(form: Form, state: State, name: string, value: string): Change {
  const answer = withSaid(state, name, value);
  if (form.oneKey) return { answer, effects: form.needsNote(answer) ? TO_NOTE : value ? THEN_SUBMIT : [] };
  const next = value ? form.openAfter(answer, name) : null;
  return { answer, current: next?.name ?? name, effects: FOCUS };
}

function ticked(form: Form, state: State, name: string, value: string): Change {
  const before = state.answer.said[name] ?? [];
  const on = form.item(name).choices.map(([key]) => key).filter((key) => before.includes(key) !== (key === value));
  return { answer: withSaid(state, name, on), current: name };
}

/** Takes the neighbouring answer; nothing is submitted. */
function stepped(form: Form, state: State, { by }: { by: number }): Change | null {
  const { choices, kind, name } = form.item(state.current);
  if (kind === "several" || !choices.length) return null;
  const at = choices.findIndex(([value]) => value === state.answer.said[name]);
  const next = choices[at < 0 && by < 0 ? choices.length - 1 : at + by];
  return next ? { answer: withSaid(state, name, next[0]) } : null;
}

function undone(form: Form, { past }: State): Change {
  const step = past.at(-1);
  if (!step) return { message: sharedMessage("nothing_to_undo"), effects: [{ type: "withdraw" }] };
  const words = form.words(form.item(step.item), step.answer) || "not answered";
  return { answer: step.answer, current: step.item, past: past.slice(0, -1), message: message("ok", "undone", `Undone: ${words}.`), effects: FOCUS };
}

function submitted(form: Form, { answer, message: said }: State): Change {
  const [item, wrong] = [form.missing(answer), form.wrong(answer)];
  if (form.needsNote(answer)) return { effects: TO_NOTE };
  if (!item) return { message: said, effects: [{ type: "submit" }] };
  const [least, most, step] = item.bounds;
  const text = wrong
    ? `Enter a number from ${least} to ${most}${step === "1" ? "" : ` in steps of ${step}`}.`
    : `Not submitted: answer “${item.title}” first.`;
  return { current: item.name, focus: wrong ? "text" : "", message: message("stop", "unanswered", text), effects: FOCUS };
}
