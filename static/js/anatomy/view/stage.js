// The image with the pins on it, and the score below it.

import { byId, el, setAttribute, setClass, setText } from "../../page/dom.js";
import { ImageView } from "../../page/viewing/image_view.js";
import { pinName } from "../accessible_names.js";
import { markAt } from "../answer.js";
import { decimalText, scoreOf } from "../score.js";
import { lastTouched } from "../state.js";

/** @import { Weights } from "../score.js" */
/** @import { State } from "../state.js" */

const FIRST_GLANCE = "Judge at first glance. Pins are optional: enter an error, then click where it is.";

export class Stage extends ImageView {
  /** @param {Weights} weights */
  constructor(weights) {
    super();
    this.weights = weights;
    this.pins = el("div", { class: "pins" });
    this.cross = el("span", { class: "cross", "aria-hidden": "true", hidden: true });
    this.score = el("span", { class: "score", hidden: true });
    this.picture.append(this.pins, this.cross);
    byId("stage-foot").append(this.score);
    this.drawn = "";
  }

  /**
   * @param {State} state
   * @param {{showScore: boolean}} how
   */
  update(state, { showScore }) {
    this.drawHint(state);
    this.drawPins(state);
    const { pinning } = state;
    this.cross.hidden = !pinning;
    if (pinning) placeAt(this.cross, pinning);
    setClass(this.picture, "pinning", Boolean(pinning));
    this.score.hidden = !showScore;
    if (showScore) setText(this.score, this.scoreText(state));
  }

  /** @param {State} state */
  scoreText({ answer }) {
    const { score, open } = scoreOf(answer, this.weights);
    return `Score ${decimalText(score)}${open ? `; ${open} ${open === 1 ? "mark" : "marks"} without a total` : ""}`;
  }

  /** @param {State} state */
  drawHint(state) {
    const name = state.pinning ?? lastTouched(state);
    const mark = name && markAt(state.answer, name.cell, name.severity);
    const open = mark && mark.pins.length < mark.affected;
    const title = open ? `${mark.cell.title} · ${mark.severity}` : "";
    if (this.hint.dataset.about === title) return;
    this.hint.dataset.about = title;
    if (title) this.hint.replaceChildren("Optional: mark ", el("b", {}, title), " on the image");
    else this.hint.textContent = FIRST_GLANCE;
  }

  /** @param {State} state */
  drawPins({ answer, cell, place }) {
    const all = answer.marks.flatMap((mark) =>
      mark.pins.map((pin, index) => ({ mark, pin, index, own: place.at !== "people" && mark.cell === cell })),
    );
    const drawn = JSON.stringify(all.map(({ mark, pin, own }) => [mark.cell.key, mark.severity, pin, own]));
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    while (this.pins.childElementCount > all.length) this.pins.lastElementChild?.remove();
    while (this.pins.childElementCount < all.length)
      this.pins.append(el("button", { type: "button", class: "pin" }));
    for (const [position, { mark, pin, index, own }] of all.entries()) {
      const button = /** @type {HTMLElement} */ (this.pins.children[position]);
      setText(button, mark.severity);
      setClass(button, "own", own);
      setAttribute(button, "data-target", `pin:${mark.cell.key}.${mark.severity}.${index}`);
      setAttribute(button, "aria-label", pinName(mark.cell, mark.severity, index, mark.pins.length));
      placeAt(button, pin);
    }
  }

  /** @param {string} target such as "pin:missing.limbs.c.0" */
  focusPin(target) {
    const pin = /** @type {HTMLElement | null} */ (this.pins.querySelector(`[data-target="${target}"]`));
    pin?.focus({ preventScroll: true });
  }
}

/** @param {HTMLElement} element @param {{x: number, y: number}} place */
function placeAt(element, { x, y }) {
  element.style.setProperty("--x", String(x));
  element.style.setProperty("--y", String(y));
}
