// The view of given things: the items of the plain form in the rail, and the masks that they are about on the image.

import { setAttribute, setClass, setText } from "../page/dom.ts";
import { View } from "./view.ts";
import { type State, thingOf } from "./check.ts";
import type { AssignmentState, Bar, Status } from "../page/server_types.ts";

export class GivenView extends View {
  readonly sections = [...this.plain.querySelectorAll<HTMLElement>("section.thing")];
  marked = "";
  madeFrom = "";

  override show(assignment: AssignmentState, image: HTMLImageElement) {
    const madeFrom = String((assignment.payload as any).made_from);
    // The things on this page are those that the server has given with it.
    if (this.madeFrom && madeFrom !== this.madeFrom) location.reload();
    this.madeFrom = madeFrom;
    super.show(assignment, image);
  }

  override update(state: State, how: { status: Status; barred: Bar | null; locked: boolean }) {
    super.update(state, how);
    const key = thingOf(state.current);
    const { picture } = this.stage;
    for (const section of this.sections) setClass(section, "current", section.dataset["thing"] === key);
    const masks = [...picture.querySelectorAll<SVGElement>("[data-thing]")];
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
