// A rating form: its items, and the answers to them. Realism is a form of one item with a payload of its own.

import { differing, remarkRows } from "../labelling/comparison.js";

/** @import { Difference } from "../labelling/comparison.js" */

/**
 * One question. `choices` are the value of an input, the answer in words, and the key or keys that give it.
 * @typedef {object} Item
 * @property {string} name
 * @property {"scale" | "yes_no" | "choice" | "several" | "number" | "text"} kind
 * @property {string} title
 * @property {string} help
 * @property {boolean} required
 * @property {readonly (readonly [string, string, string])[]} choices
 * @property {readonly [string, string, string]} bounds least, most and step of a number
 * @property {{item: string, is: readonly string[]} | null} when the answers after which it is asked
 */

/** @typedef {string | readonly string[]} Said an answer as its inputs have it; empty for none */

/**
 * What an annotator says about one image. Values are immutable.
 * @typedef {object} Answer
 * @property {Readonly<Record<string, Said>>} said by item
 * @property {false} noErrors as in the protocols with marks
 * @property {{readonly reason: string, readonly note: string} | null} flag
 * @property {readonly number[]} tags
 * @property {string} note
 */

const SINGLE = new Set(["scale", "yes_no", "choice"]);
const NUMBER = /^-?[0-9]{1,9}([.][0-9]{1,3})?$/;
const CANNOT_JUDGE = "cannot_judge";
const LONGEST_SHORT = 9;

export class Form {
  /**
   * @param {{items: readonly Item[], protocol: string, is_rating?: boolean, note_with?: string}} config
   * @param {readonly string[]} [order] the names of the items as the page has them
   */
  constructor({ items, protocol, is_rating: isRating = false, note_with: noteWith = "" }, order = items.map(({ name }) => name)) {
    this.items = order.flatMap((name) => items.filter((item) => item.name === name));
    this.slug = protocol;
    /** Whether one answer is the whole annotation and submits it. */
    this.oneKey = items.length === 1 && SINGLE.has(items[0]?.kind ?? "");
    /** Whether the one answer is stored as a rating or the reason why there is none. */
    this.isRating = isRating;
    /** The answer that needs a reason in the note. */
    this.noteWith = isRating ? "other" : noteWith;
  }

  /** @param {string} name @returns {Item} */
  item(name) {
    return /** @type {Item} */ (this.items.find((item) => item.name === name));
  }

  /** @param {Item} item @param {Answer["said"]} said */
  isAsked = ({ when }, said) => when === null || when.is.includes(String(said[when.item] ?? ""));

  /** @param {Answer} answer @returns {Item[]} */
  asked = ({ said }) => this.items.filter((item) => this.isAsked(item, said));

  /** @param {Answer} answer the items that are asked but have no valid answer @returns {Item[]} */
  open = (answer) => this.asked(answer).filter((item) => !isAnswered(item, answer.said[item.name]));

  /** @param {Answer} answer @param {string} name @returns {Item | undefined} the next open item; behind the last, one that is required */
  openAfter(answer, name) {
    const open = this.open(answer);
    const at = this.items.indexOf(this.item(name));
    return open.find((item) => this.items.indexOf(item) > at) ?? open.find(({ required, name: other }) => required && other !== name);
  }

  /** @param {Answer} answer whose text is no number of its item @returns {Item | undefined} */
  wrong = (answer) => this.open(answer).find(({ name }) => (answer.said[name] ?? "").length > 0);

  /** @param {Answer} answer @returns {Item | undefined} the first item that has to be answered */
  missing = (answer) => this.wrong(answer) ?? this.open(answer).find(({ required }) => required);

  /** @param {Answer} answer whether the reason has to be given in the note */
  needsNote = ({ said, note }) => note.trim() === "" && this.noteWith !== "" && Object.values(said).includes(this.noteWith);

  /** @param {Answer} answer whether it can be submitted */
  isComplete = (answer) => !this.missing(answer) && !this.needsNote(answer);

  /** @param {Answer} answer */
  toPayload(answer) {
    const { flag, tags, note } = answer;
    return { ...this.saidOut(answer), flag: flag && { reason: flag.reason, note: flag.note }, ...(tags.length ? { tags } : {}), note };
  }

  /** @param {Answer} answer @returns {Record<string, unknown>} */
  saidOut(answer) {
    const { rating = "" } = answer.said;
    const number = Number(rating) || null;
    if (this.isRating) return { rating: number, invalid: number ? null : rating || null };
    const answered = this.asked(answer).filter((item) => isAnswered(item, answer.said[item.name]));
    return { answers: Object.fromEntries(answered.map((item) => [item.name, storedOf(item, answer.said[item.name] ?? "")])) };
  }

  /**
   * Reads a payload that the server has accepted.
   * @param {any} payload
   * @returns {Answer}
   */
  fromPayload({ answers = {}, rating = null, invalid = null, flag = null, tags = [], note = "" }) {
    const stored = this.isRating ? { rating: rating ?? invalid ?? "" } : answers;
    const said = Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, saidOf(value)]));
    return { said, noErrors: false, flag: flag && { reason: flag.reason, note: flag.note }, tags, note };
  }

  /** @param {Item} item @param {Answer} answer the answer in words; empty for none */
  words({ name, choices }, { said }) {
    const value = said[name] ?? "";
    const chosen = choices.filter(([choice]) => (typeof value === "string" ? choice === value : value.includes(choice)));
    return chosen.map(([, words]) => words).join("; ") || String(value);
  }

  /** @param {Answer} answer the answer in the list of the last ones; a dash for one that is too long */
  short(answer) {
    const [item] = this.items;
    const words = item ? this.words(item, answer) : "";
    const text = item?.kind === "scale" ? String(answer.said[item.name]) : words;
    return text.length > LONGEST_SHORT ? "–" : text;
  }

  /**
   * The differences, in the order of the page. An empty text means no entry on that side.
   * @param {Answer} mine
   * @param {Answer} theirs
   * @returns {Difference[]}
   */
  differences(mine, theirs) {
    const [one, other] = [mine, theirs].map((answer) => [
      ...this.items.map((item) => /** @type {[string, string]} */ ([item.title, this.words(item, answer)])),
      ...remarkRows(answer),
    ]);
    return differing(one ?? [], other ?? []);
  }
}

/** @param {Item} item @param {Said} [value] */
function isAnswered(item, value = "") {
  if (item.kind === "number" && value !== CANNOT_JUDGE) return numberOf(item, String(value)) !== null;
  return value.length > 0;
}

/** @param {Item} item @param {string} text @returns {string | null} the number as the server reads it; null if it is not one of the item's */
function numberOf({ bounds }, text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  const [number = 0, least = 0, most = 0, step = 1] = [plain, ...bounds].map((each) => Math.round(Number(each) * 1000));
  return NUMBER.test(plain) && number >= least && number <= most && (number - least) % step === 0 ? plain : null;
}

/** @param {Item} item @param {Said} value */
function storedOf(item, value) {
  if (typeof value !== "string" || value === CANNOT_JUDGE) return value;
  if (item.kind === "scale") return Number(value);
  if (item.kind === "yes_no") return value === "yes";
  return item.kind === "number" ? numberOf(item, value) : value;
}

/** @param {unknown} value @returns {Said} */
function saidOf(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value : String(value);
}
