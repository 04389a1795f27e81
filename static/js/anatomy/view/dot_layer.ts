// The dots on the image and in the loupe: large with their letter for the row that is counted, small otherwise.

import { ROW_KEYS } from "../../labelling/keys.ts";
import { BODY_PARTS } from "../../labelling/taxonomy.ts";
import { el, keyCap, placeAt, setAttribute, targetButton } from "../../page/dom.ts";
import { dotsOf } from "../dots.ts";
import type { Zoom } from "../../page/viewing/zoom.ts";
import type { State } from "../state.ts";

export class DotLayer {
  readonly element = el("div", { class: "dots", "aria-hidden": "true" });
  readonly inLoupe = el("div", { class: "dots" });
  readonly button = targetButton("dots", "button compact", { title: "Count the parts of this row by dots", "aria-pressed": "false" }, "Count ", keyCap("D"));
  counting = false;
  drawn = "";

  constructor(public zoom: Zoom) {
    zoom.lens.append(this.inLoupe);
  }

  update({ answer, cell, counting }: State) {
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

  lendLoupe(counting: State["counting"]) {
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
