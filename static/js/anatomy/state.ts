// The state of the page for one image, and the changes to it.

import { type Message, submittedMessage } from "../labelling/messages.ts";
import { type Cell, CELLS, type Severity } from "../labelling/taxonomy.ts";
import { type Answer, markAt, type Pin } from "./answer.ts";
import { anatomyMessage, cellMessage, countingMessage } from "./message_texts.ts";
import { fromPayload, type Payload } from "./payload.ts";
import { excessIn, excessName } from "./warnings.ts";
import type { Effect, MarkName } from "../labelling/actions.ts";
import type { History } from "../labelling/history.ts";
import type { Suggestion } from "./suggestions.ts";
import type { Entry } from "./typing.ts";

/** Where the focus is: on People, the current cell, one of its pins, or another control. */
type Place =
  | { readonly at: "people" | "cell" | "elsewhere" }
  | { readonly at: "pin"; readonly severity: Severity; readonly index: number };

/** A step of the history: the other version of the annotation, and the cell of the change. */
export type Step = { readonly answer: Answer; readonly cell: Cell | null };

export interface State extends History<Step> {
  answer: Answer; // as saved and sent
  place: Place;
  cell: Cell; // the current cell, outlined even while the focus is elsewhere
  typed: Entry | null; // the unfinished entry, shown in a bubble on the current cell
  pinning: (MarkName & { readonly x: number; readonly y: number }) | null; // the mark and the cross of pin mode
  counting: { readonly cross: Pin | null } | null; // by dots, of the current row; the cross is shown after a key
  touched: readonly MarkName[]; // the marks last touched, latest first, one per cell
  message: Message; // a new object for each message, even with the same text
  suggestion?: Suggestion | null; // shown in grey; undefined if the batch shows none. It is no part of the annotation
  guided: boolean; // Enter goes through the cells in the prescribed order
  required: boolean; // it is submitted only after all of them were visited
  visited: number; // cells visited in this order
}

/**
 * The change that an action makes. By default, the annotation, the focus and the touched marks stay; the unfinished
 * entry and pin mode end, counting goes on; the line shows the message of the current cell; and a changed annotation
 * becomes a step of the history.
 */
export interface Change extends Partial<History<Step>> {
  answer?: Answer;
  place?: Place;
  cell?: Cell;
  typed?: Entry | null;
  pinning?: State["pinning"];
  counting?: State["counting"];
  touched?: MarkName;
  message?: Message;
  effects?: readonly Effect[];
  where?: Cell | null; // the cell of the change, to which undo returns
}

/**
 * The initial state of the page for an image, with the focus on People. The payload is an empty object for an untouched
 * image. `submitted` is the image submitted just before, `confirmed` and `visited` are cells of the stored draft.
 */
export const openState = (
  payload: Partial<Payload>,
  { guided = false, required = false, visited = [], submitted = null, confirmed = [], suggestion }: { guided?: boolean; required?: boolean; visited?: readonly string[]; submitted?: { number: number; skipped?: boolean } | null; confirmed?: readonly string[]; suggestion?: Suggestion | null } = {},
): State => ({
  answer: confirmedAgain(fromPayload(payload), confirmed),
  place: { at: "people" },
  cell: CELLS[0] as Cell,
  typed: null,
  pinning: null,
  counting: null,
  touched: [],
  message: submitted ? submittedMessage(submitted) : anatomyMessage("arrival"),
  past: [],
  future: [],
  ...(suggestion === undefined ? {} : { suggestion }),
  guided: guided || required,
  required,
  visited: visited.length,
});

/** The keys of the cells visited, of a guided batch. */
export const visitedCells = ({ guided, visited }: State) => (guided ? CELLS.slice(0, visited).map(({ key }) => key) : []);

function confirmedAgain(answer: Answer, keys: readonly string[]): Answer {
  const confirmed = CELLS.filter(({ key }) => keys.includes(key)).flatMap((cell) => {
    const excess = excessIn(answer, cell);
    return excess ? [excessName(cell, excess)] : [];
  });
  return { ...answer, confirmed };
}

/** The existing mark last touched, in this cell if one is given. */
export const lastTouched = ({ answer, touched }: State, cell?: Cell): MarkName | null =>
  touched.find((mark) => (!cell || mark.cell === cell) && markAt(answer, mark.cell, mark.severity)) ?? null;

/** The message when there is nothing else to report. */
export function restingMessage({ answer, counting, place, cell }: State) {
  if (counting) return countingMessage(answer, cell.part);
  return place.at === "people" && answer.people === null ? anatomyMessage("arrival") : cellMessage(answer, cell);
}
