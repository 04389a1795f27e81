// A rating form: its items, and the answers to them. Realism is a form of one item with a payload of its own.

import { type Difference, differing, remarkRows } from "../labelling/comparison.ts";
import type { Message } from "../labelling/messages.ts";
import type { Remarks } from "../labelling/remarks.ts";

/** One question. `choices` are the value of an input, the answer in words, and the key or keys that give it. */
export interface Item {
  name: string;
  kind: "scale" | "yes_no" | "choice" | "several" | "number" | "text";
  title: string;
  help: string;
  required: boolean;
  choices: readonly (readonly [string, string, string])[];
  bounds: readonly string[]; // least, most and step of a number
  when: { item: string; is: readonly string[] } | null; // the answers after which it is asked
}

/** An answer as its inputs have it; empty for none. */
export type Said = string | readonly string[];

/** What an annotator says about one image. Values are immutable. */
export interface Answer extends Remarks {
  said: Readonly<Record<string, Said>>; // by item
}

const SINGLE = new Set(["scale", "yes_no", "choice"]);
const NUMBER = /^-?[0-9]{1,9}([.][0-9]{1,3})?$/;
const CANNOT_JUDGE = "cannot_judge";
const LONGEST_SHORT = 9;

/** The question of a box of the plain form, with the keys that it shows. */
export function itemOf(box: HTMLElement): Item {
  const { item = "", kind = "choice", bounds = "", when, is = "", optional } = box.dataset;
  const inputs = [...box.querySelectorAll<HTMLInputElement>("[type=radio],[type=checkbox]")].filter(({ value }) => value);
  const choices = inputs.map(({ value, labels }, place) => {
    const label = labels![0] as HTMLElement;
    const key = label.querySelector("kbd")?.textContent.toLowerCase().replace(" ", "");
    const words = [...label.querySelectorAll("b,span")].map(textOf).join(" ");
    return [value, label.dataset["words"] ?? words, key ?? (value[1] ? ("1234567890"[place] ?? "") : value)] as const;
  });
  return {
    name: item,
    kind: kind as Item["kind"],
    title: box.ariaLabel ?? textOf(box.querySelector("legend")?.firstChild),
    help: textOf(box.querySelector(".help")),
    required: optional == null,
    choices,
    bounds: bounds.split(" "),
    when: when ? { item: when, is: is.split(" ") } : null,
  };
}

const textOf = (node: Node | null | undefined) => node?.textContent?.trim() ?? "";

export class Form {
  readonly items = this.config.items;
  readonly slug = this.config.protocol;
  /** Whether one answer is the whole annotation and submits it. */
  readonly oneKey = this.items.length === 1 && SINGLE.has(this.items[0]?.kind ?? "");
  /** Whether the one answer is stored as a rating or the reason why there is none. */
  readonly isRating = this.config.is_rating ?? false;
  /** The answer that needs a reason in the note. */
  readonly noteWith = this.isRating ? "other" : (this.config.note_with ?? "");

  /** What a check says where a form speaks of its current question. */
  resting: ((answer: Answer) => Message) | null = null;

  constructor(readonly config: { items: readonly Item[]; protocol: string; is_rating?: boolean; note_with?: string }) {}

  item(name: string): Item {
    return this.items.find((item) => item.name === name) as Item;
  }

  isAsked = ({ when }: Item, said: Answer["said"]) => when === null || when.is.includes(String(said[when.item] ?? ""));

  asked = ({ said }: Answer): Item[] => this.items.filter((item) => this.isAsked(item, said));

  /** The items that are asked but have no valid answer. */
  open = (answer: Answer): Item[] => this.asked(answer).filter((item) => !isAnswered(item, answer.said[item.name]));

  /** The next open item; behind the last, one that is required. */
  openAfter(answer: Answer, name: string): Item | undefined {
    const open = this.open(answer);
    const at = this.items.indexOf(this.item(name));
    return open.find((item) => this.items.indexOf(item) > at) ?? open.find(({ required, name: other }) => required && other !== name);
  }

  /** The first item whose text is no number of it. */
  wrong = (answer: Answer): Item | undefined => this.open(answer).find(({ name }) => (answer.said[name] ?? "").length > 0);

  /** The first item that has to be answered. */
  missing = (answer: Answer): Item | undefined => this.wrong(answer) ?? this.open(answer).find(({ required }) => required);

  /** Whether the reason has to be given in the note. */
  needsNote = ({ said, note }: Answer) => note.trim() === "" && this.noteWith !== "" && Object.values(said).includes(this.noteWith);

  toPayload(answer: Answer) {
    const { flag, tags, note } = answer;
    return { ...this.saidOut(answer), flag: flag && { reason: flag.reason, note: flag.note }, ...(tags.length ? { tags } : {}), note };
  }

  saidOut(answer: Answer): Record<string, unknown> {
    const { rating = "" } = answer.said;
    const number = Number(rating) || null;
    if (this.isRating) return { rating: number, invalid: number ? null : rating || null };
    const answered = this.asked(answer).filter((item) => isAnswered(item, answer.said[item.name]));
    return { answers: Object.fromEntries(answered.map((item) => [item.name, storedOf(item, answer.said[item.name] ?? "")])) };
  }

  /** Reads a payload that the server has accepted. */
  fromPayload({ answers = {}, rating = null, invalid = null, flag = null, tags = [], note = "" }: any): Answer {
    const stored = this.isRating ? { rating: rating ?? invalid ?? "" } : answers;
    const said = Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, saidOf(value)]));
    return { said, noErrors: false, flag: flag && { reason: flag.reason, note: flag.note }, tags, note };
  }

  /** The answer in words; empty for none. */
  words({ name, choices }: Item, { said }: Answer) {
    const value = said[name] ?? "";
    const chosen = choices.filter(([choice]) => (typeof value === "string" ? choice === value : value.includes(choice)));
    return chosen.map(([, words]) => words).join("; ") || String(value);
  }

  /** The answer in the list of the last ones; a dash for one that is too long. */
  short(answer: Answer) {
    const [item] = this.items as [Item];
    const text = item.kind === "scale" ? String(answer.said[item.name]) : this.words(item, answer);
    return text.length > LONGEST_SHORT ? "–" : text;
  }

  /** The differences, in the order of the page. An empty text means no entry on that side. */
  differences(mine: Answer, theirs: Answer): Difference[] {
    const rowsOf = (answer: Answer) => [...this.items.map((item) => [item.title, this.words(item, answer)] as const), ...remarkRows(answer)];
    return differing(rowsOf(mine), rowsOf(theirs));
  }
}

function isAnswered(item: Item, value: Said = "") {
  if (item.kind === "number" && value !== CANNOT_JUDGE) return numberOf(item, String(value)) !== null;
  return !!String(value).trim();
}

/** The number as the server reads it; null if it is not one of the item's. */
function numberOf({ bounds }: Item, text: string): string | null {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  const [number, least, most, step] = [plain, ...bounds].map((each) => Math.round(Number(each) * 1000)) as [number, number, number, number];
  return NUMBER.test(plain) && number >= least && number <= most && (number - least) % step === 0 ? plain : null;
}

function storedOf(item: Item, value: Said) {
  if (typeof value !== "string" || value === CANNOT_JUDGE) return value;
  if (item.kind === "scale") return Number(value);
  if (item.kind === "yes_no") return value === "yes";
  return item.kind === "number" ? numberOf(item, value) : value;
}

function saidOf(value: unknown): Said {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value : String(value);
}
