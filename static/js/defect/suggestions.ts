// Suggested masks: hatched and grey on the image, each with its buttons. Only an act makes one a defect.

import { el, setAttribute, setText, targetButton } from "../page/dom.ts";
import { numberTag } from "./cards.ts";
import { type Answer, inWords, type Masked, maskedBy } from "./answer.ts";
import { fromText, overlap } from "./rle.ts";
import type { Editor } from "./editor.ts";
import type { State } from "./state.ts";

/** An own mask that overlaps a suggested one by so much stands in its place; the report counts alike. */
const SAME_PLACE = 0.5;

export interface Suggestion {
  run: number;
  source: string;
  masks: readonly { mask: { counts: string }; kind: string | null }[];
}

type Proposal = Masked & { place: number; id: string; kind: string | null; text: string };

/** The suggested masks in whose place there is no own one. */
export function proposalsIn(suggestion: Suggestion | null | undefined, { defects, size }: Answer): Proposal[] {
  const own = defects.filter(({ area }) => area).map(({ mask }) => fromText(mask));
  return (suggestion?.masks ?? [])
    .map(({ mask, kind }, place) => ({ place, id: `s${place + 1}`, kind, text: "", ...maskedBy(mask.counts, size[0]) }))
    .filter(({ mask }) => !own.some((runs) => overlap(runs, fromText(mask)) >= SAME_PLACE));
}

/** The list of suggested masks below the defects, and their outlines on the image. */
export class Proposals {
  title = el("p", { class: "muted" });
  readonly list = el("ul", { class: "defects" });
  readonly element = el("div", { hidden: true }, this.title, this.list);
  readonly tags = el("div", { class: "number-tags" });
  /** What the list and the image show. */
  listed = "";

  constructor(readonly editor: Editor, picture: HTMLElement) {
    picture.append(this.tags);
  }

  /** Another image: nothing of it is drawn yet. */
  begin() {
    this.listed = "";
  }

  update({ answer, suggestion, rejected }: State, locked: boolean) {
    const listed = JSON.stringify([suggestion === undefined, rejected, locked, answer.defects.map(({ mask }) => mask)]);
    if (listed === this.listed) return;
    this.listed = listed;
    this.element.hidden = suggestion === undefined;
    setText(this.title, suggestion ? `Suggested by ${suggestion.source}. Look at each: nothing counts until you take it.` : "No suggestion for this image.");
    const open = proposalsIn(suggestion, answer);
    const held = this.list.contains(document.activeElement) ? document.activeElement?.getAttribute("data-target") : null;
    this.list.replaceChildren(...open.map((each) => row(each, inWords(each, answer.size), rejected.includes(each.place), locked)));
    if (held) this.list.querySelector<HTMLElement>(`[data-target="${held}"]`)?.focus();
    const shown = open.filter(({ place }) => !rejected.includes(place));
    this.editor.propose(shown);
    this.tags.replaceChildren(...shown.map((each) => numberTag(each, answer.size)));
  }
}

function row({ place, id }: Proposal, words: string, isRejected: boolean, locked: boolean) {
  const button = (target: string, title: string) =>
    targetButton(`${target}:${place}`, "button compact", { "aria-label": `${title} suggestion ${place + 1}: ${words}` }, title);
  const [take, reject] = [button("suggestion", "Take"), button("reject", "Reject")];
  setAttribute(reject, "aria-pressed", String(isRejected));
  take.hidden = isRejected;
  for (const each of [take, reject]) setAttribute(each, "aria-disabled", locked ? "true" : null);
  return el("li", { class: "suggestion row" }, el("b", {}, id.toUpperCase()), el("span", {}, words), take, reject);
}
