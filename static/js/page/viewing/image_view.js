// The image, and the elements below it that all protocols share.

import { byId, setText } from "../dom.js";

/** @import { AssignmentState } from "../server_types.js" */
/** @import { Zoom } from "./zoom.js" */

export class ImageView {
  constructor() {
    this.picture = byId("picture");
    this.image = /** @type {HTMLImageElement} */ (this.picture.querySelector("img"));
    this.hint = byId("hint");
    this.prompt = byId("prompt");
    /** @type {Zoom | null} of a protocol whose batches may allow it */
    this.zoom = null;
    /** @type {(on: boolean) => void} called when enlarging begins and ends */
    this.enlarged = () => undefined;
  }

  /**
   * Shows another image. `ready` is the prefetched element.
   * @param {AssignmentState} assignment
   * @param {HTMLImageElement} ready
   */
  show({ image, prompt, generator }, ready) {
    if (ready !== this.image) {
      this.image.replaceWith(ready);
      this.image = ready;
    }
    this.picture.style.setProperty("--ratio", String(image.width / image.height));
    this.picture.classList.add("sized");
    const told = [prompt && `Prompt: ${prompt}`, generator && `Generator: ${generator}`].filter(Boolean);
    this.prompt.hidden = told.length === 0;
    setText(this.prompt, told.join(" · "));
  }

  /**
   * Converts a position on the page to a position on the image.
   * @param {{clientX: number, clientY: number}} point
   */
  placeOf({ clientX, clientY }) {
    const box = this.image.getBoundingClientRect();
    return { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height };
  }

  /** @returns {[number, number]} CSS px, to a tenth, before any zoom */
  size() {
    const { width, height } = this.image.getBoundingClientRect();
    const scale = this.zoom?.rule === "free" ? this.zoom.scale : 1;
    return [Math.round((width / scale) * 10) / 10, Math.round((height / scale) * 10) / 10];
  }
}

