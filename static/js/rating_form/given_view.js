// The view of given things: the items of the plain form in the rail, and the masks that they are about on the image.

import { setAttribute, setClass, setText } from "../page/dom.js";
import { View } from "./view.js";
import { thingOf } from "./check.js";

/** @import { AssignmentState, Bar, PageConfig, Status } from "../page/server_types.js" */
/** @import { Form } from "./form.js" */
/** @import { InputGuard } from "./input_guard.js" */
/** @import { State } from "./check.js" */

export class GivenView extends View {
  /**
   * @param {HTMLElement} desk
   * @param {PageConfig} config
   * @param {(id: number) => string} addressOf
   * @param {{form: Form, guard: InputGuard, boxes: readonly HTMLElement[], act: (action: any) => void}} parts
   */
  constructor(desk, config, addressOf, parts) {
    super(desk, config, addressOf, parts);
    this.sections = [.../** @type {NodeListOf<HTMLElement>} */ (this.plain.querySelectorAll("section.thing"))];
    this.marked = "";
    this.madeFrom = "";
    document.addEventListener("keyup", () => this.stage.picture.hasAttribute("data-hidden") && parts.act({ type: "look" }));
  }

  /** @override @param {AssignmentState} assignment @param {HTMLImageElement} image */
  show(assignment, image) {
    const madeFrom = String(/** @type {any} */ (assignment.payload).made_from);
    // The things on this page are those that the server has given with it.
    if (this.madeFrom && madeFrom !== this.madeFrom) location.reload();
    this.madeFrom = madeFrom;
    super.show(assignment, image);
  }

  /** @override @param {State} state @param {{status: Status, barred: Bar | null, locked: boolean}} how */
  update(state, how) {
    super.update(state, how);
    const key = thingOf(state.current);
    const { picture } = this.stage;
    for (const section of this.sections) setClass(section, "current", section.dataset["thing"] === key);
    const masks = [.../** @type {NodeListOf<SVGElement>} */ (picture.querySelectorAll("[data-thing]"))];
    for (const mask of masks) {
      const thing = mask.dataset["thing"] ?? "";
      setAttribute(mask, "data-current", thing === key);
      setAttribute(mask, "data-off", Boolean(state.only) && !thing.startsWith(state.only));
      // Equal masks lie on one another: the current one comes to the top.
      if (thing === key && this.marked !== key) mask.parentElement?.append(mask);
    }
    this.marked = key;
    setAttribute(picture, "data-hidden", Boolean(state.hidden));
    const asked = this.form.items.length;
    setText(this.counted, `${asked - this.form.open(state.answer).length} of ${asked} judged`);
  }
}
