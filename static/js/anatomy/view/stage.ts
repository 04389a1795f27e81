// The image with the pins on it, and the score below it.

import { pluralOf } from "../../labelling/taxonomy.ts";
import { byId, el, placeAt, setAttribute, setClass, setText } from "../../page/dom.ts";
import { ZoomedView } from "../../page/viewing/zoom.ts";
import { pinName } from "../accessible_names.ts";
import { markAt } from "../answer.ts";
import { dotsOf } from "../dots.ts";
import { decimalText, scoreOf, type Weights } from "../score.ts";
import { lastTouched, type State } from "../state.ts";
import { suggestionHint } from "../suggestions.ts";
import { DotLayer } from "./dot_layer.ts";

const FIRST_GLANCE = "Judge at first glance. Pins are optional: enter an error, then select where it is.";

export class Stage extends ZoomedView {
  readonly pins = el("div", { class: "pins" });
  readonly cross = el("span", { class: "cross", "aria-hidden": "true", hidden: true });
  readonly score = el("span", { class: "score", hidden: true });
  readonly dots = new DotLayer(this.zoom);
  drawn = "";

  constructor(readonly weights: Weights) {
    super();
    this.picture.append(this.pins, this.dots.element, this.cross);
    byId("stage-foot").append(this.dots.button, this.score);
  }

  update(state: State, { showScore }: { showScore: boolean }) {
    this.drawHint(state);
    this.drawPins(state);
    this.dots.update(state);
    const cross = state.pinning ?? state.counting?.cross;
    this.cross.hidden = !cross;
    if (cross) placeAt(this.cross, cross);
    setClass(this.picture, "pinning", Boolean(state.pinning ?? state.counting));
    setClass(this.picture, "counting", Boolean(state.counting));
    this.score.hidden = !showScore;
    if (showScore) setText(this.score, this.scoreText(state));
  }

  scoreText({ answer }: State) {
    const { score, open } = scoreOf(answer, this.weights);
    return `Score ${decimalText(score)}${open ? `; ${open} ${open === 1 ? "mark" : "marks"} without a total` : ""}`;
  }

  drawHint(state: State) {
    if (state.counting) {
      const { part } = state.cell;
      const counted = `Counting ${pluralOf(part)}: ${dotsOf(state.answer, part).length}`;
      if (this.hint.dataset.about !== counted) this.hint.replaceChildren(el("b", {}, counted));
      this.hint.dataset.about = counted;
      return;
    }
    const resting = state.suggestion === undefined ? FIRST_GLANCE : suggestionHint(state.suggestion);
    const name = state.pinning ?? lastTouched(state);
    const mark = name && markAt(state.answer, name.cell, name.severity);
    const open = mark && mark.pins.length < mark.affected;
    const title = open ? `${mark.cell.title} · ${mark.severity}` : resting;
    if (this.hint.dataset.about === title) return;
    this.hint.dataset.about = title;
    if (title === resting) this.hint.textContent = resting;
    else this.hint.replaceChildren("Optional: mark ", el("b", {}, title), " on the image");
  }

  drawPins({ answer, cell, place }: State) {
    const all = answer.marks.flatMap((mark) =>
      mark.pins.map((pin, index) => ({ mark, pin, index, own: place.at !== "people" && mark.cell === cell })),
    );
    const drawn = JSON.stringify(all.map(({ mark, pin, own }) => [mark.cell.key, mark.severity, pin, own]));
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    while (this.pins.childElementCount > all.length) this.pins.lastElementChild?.remove();
    while (this.pins.childElementCount < all.length) this.pins.append(el("button", { type: "button", class: "pin" }));
    for (const [position, { mark, pin, index, own }] of all.entries()) {
      const button = this.pins.children[position] as HTMLElement;
      setText(button, mark.severity);
      setClass(button, "own", own);
      setAttribute(button, "data-target", `pin:${mark.cell.key}.${mark.severity}.${index}`);
      setAttribute(button, "aria-label", pinName(mark.cell, mark.severity, index, mark.pins.length));
      placeAt(button, pin);
    }
  }

  /** Of a target such as "pin:missing.limbs.c.0". */
  focusPin(target: string) {
    const pin = this.pins.querySelector<HTMLElement>(`[data-target="${target}"]`);
    pin?.focus({ preventScroll: true });
  }
}
