// The dots on the image and in the loupe: large with their letter for the row that is counted, small otherwise.

import { ROW_KEYS } from "../../labelling/grid_keys.js";
import { BODY_PARTS } from "../../labelling/taxonomy.js";
import { el, keyCap, placeAt, setAttribute } from "../../page/dom.js";
import { dotsOf } from "../dots.js";

/** @import { Zoom } from "../../page/viewing/zoom.js" */
/** @import { State } from "../state.js" */

export class DotLayer {
  /** @param {Zoom} zoom */
  constructor(zoom) {
    this.zoom = zoom;
    this.element = el("div", { class: "dots", "aria-hidden": "true" });
    this.inLoupe = el("div", { class: "dots" });
    zoom.lens.append(this.inLoupe);
    this.button = el(
      "button",
      { type: "button", class: "button compact", "data-target": "dots", title: "Count the parts of this row by dots", "aria-pressed": "false" },
      "Count ",
      keyCap("D"),
    );
    this.counting = false;
    this.drawn = "";
  }

  /** @param {State} state */
  update({ answer, cell, counting }) {
    this.lendLoupe(counting);
    const current = counting ? cell.part : "";
    const drawn = JSON.stringify([answer.dots, current]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const dots = BODY_PARTS.flatMap((part) =>
      dotsOf(answer, part).map((place, index) => {
        const dot = el("span", { class: `dot ${part}${part === current ? " current" : ""}` }, ROW_KEYS[part]);
        if (part === current) dot.dataset.target = `dot:${part}.${index}`;
        placeAt(dot, place);
        return dot;
      }),
    );
    this.element.replaceChildren(...dots);
    this.inLoupe.replaceChildren(...dots.map((dot) => dot.cloneNode(true)));
  }

  /** @param {State["counting"]} counting */
  lendLoupe(counting) {
    const on = counting !== null;
    if (on !== this.counting) {
      setAttribute(this.button, "aria-pressed", String(on));
      // A finger would cover what the loupe enlarges.
      if (!on || !window.matchMedia("(hover: none)").matches) this.zoom.lend(on);
    }
    this.counting = on;
    const { clientWidth: width, clientHeight: height } = this.zoom.picture;
    if (counting?.cross && this.zoom.on && this.zoom.rule === "loupe")
      this.zoom.look(counting.cross.x * width, counting.cross.y * height);
  }
}
