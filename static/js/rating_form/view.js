// The view of one image. The items are those of the plain form, moved into the rail; the state is written into their inputs.

import { el, setAttribute, setClass, setText } from "../page/dom.js";
import { GuidelineNews } from "../page/guideline_news.js";
import { Actions } from "../page/viewing/actions.js";
import { Header } from "../page/viewing/header.js";
import { ImageView } from "../page/viewing/image_view.js";
import { MessageLine } from "../page/viewing/message_line.js";
import { RecentRatings } from "./recent_ratings.js";

/** @import { AssignmentState, Bar, PageConfig, Status } from "../page/server_types.js" */
/** @import { Form, Item, Said } from "./form.js" */
/** @import { InputGuard } from "./input_guard.js" */
/** @import { State } from "./state.js" */

export class View {
  /**
   * @param {HTMLElement} desk
   * @param {PageConfig} config
   * @param {(id: number) => string} addressOf
   * @param {{form: Form, guard: InputGuard, boxes: readonly HTMLElement[]}} parts
   */
  constructor(desk, config, addressOf, { form, guard, boxes }) {
    this.form = form;
    this.guard = guard;
    this.boxes = boxes;
    this.header = new Header(addressOf);
    this.stage = new ImageView();
    this.panel = { own: new GuidelineNews() };
    this.line = new MessageLine();
    this.actions = new FormActions();
    this.recent = new RecentRatings(config.user, form, addressOf);
    this.counted = el("p", { class: "muted", id: "counted", hidden: form.oneKey });
    this.plain = /** @type {HTMLElement} */ (document.querySelector("#answer .rating-form"));
    this.plain.querySelector("#line")?.remove();
    this.plain.querySelector(".ask")?.append(this.counted);
    for (const box of boxes) box.tabIndex = -1;
    this.sheet = el(
      "div",
      { class: "sheet form", id: "sheet", role: "group", "aria-label": "Rating" },
      this.plain,
      this.line.element,
      this.recent.element,
      this.actions.element,
    );
    desk.append(this.sheet);
    /** @type {AssignmentState | null} */
    this.assignment = null;
    /** @type {number | null} */
    this.left = null;
    /** The current item of the image that is shown. @type {string | null} */
    this.current = null;
    /** The submissions already listed. An image whose submission is undone comes back with the one before it. @type {WeakSet<object>} */
    this.listed = new WeakSet();
  }

  /** @param {AssignmentState} assignment @param {HTMLImageElement} image */
  show(assignment, image) {
    this.left = this.assignment?.id ?? null;
    this.assignment = assignment;
    this.current = null;
    this.header.show(assignment);
    this.stage.show(assignment, image);
    setAttribute(this.sheet, "data-early", this.form.oneKey);
    this.guard.expect(image, () => setAttribute(this.sheet, "data-early", null));
    if (assignment.status === "reopened") this.recent.remove(assignment.id);
  }

  /**
   * @param {State} state
   * @param {{status: Status, barred: Bar | null, locked: boolean}} how
   */
  update(state, { status, barred, locked }) {
    const { answer, before, current, message } = state;
    for (const part of this.plain.querySelectorAll("fieldset")) part.disabled = locked;
    for (const box of this.boxes) {
      const item = this.form.item(box.dataset["item"] ?? "");
      box.hidden = !this.form.isAsked(item, answer.said);
      setClass(box, "current", item.name === current && !this.form.oneKey && !locked);
      for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (box.querySelectorAll("input, textarea"))) write(input, item, answer.said[item.name] ?? "");
    }
    if (this.current !== null && this.current !== current) this.box(current)?.scrollIntoView({ block: "nearest" });
    this.current = current;
    const asked = this.form.asked(answer).length;
    setText(this.counted, `${asked - this.form.open(answer).length} of ${asked} answered`);
    setAttribute(this.sheet, "data-choosing", state.typed !== "");
    if (this.form.oneKey && before?.answer && this.left !== null && !this.listed.has(before)) {
      this.listed.add(before);
      this.recent.add(this.left, before.number, before.answer);
    }
    this.line.update(message);
    this.actions.update(state, status, barred);
  }

  /** @param {string} name */
  box(name) {
    return this.boxes.find((box) => box.dataset["item"] === name);
  }

  /** The item has the focus before any answer looks chosen; a number has it in its slider or field. @param {State} state */
  focus({ current, focus }) {
    const box = this.box(current);
    const isNumber = this.form.item(current).kind === "number" && document.body.classList.contains("keyboard");
    const [slider, field] = ["[type=range]", "[type=text], textarea"].map((selector) => /** @type {HTMLElement | null | undefined} */ (box?.querySelector(selector)));
    const inside = focus === "text" ? field : focus === "" && isNumber ? (slider ?? field) : null;
    (inside ?? box)?.focus({ preventScroll: true });
  }

  tabbable() {}
}

/** @param {HTMLInputElement} input @param {Item} item @param {Said} value */
function write(input, { bounds: [least, most] }, value) {
  const text = value === "cannot_judge" ? "" : String(value);
  if (input.type === "radio") input.checked = input.value === value;
  else if (input.type === "checkbox") input.checked = typeof value === "string" ? input.value === value : value.includes(input.value);
  else if (input.type === "range") {
    setClass(input, "unset", text === "");
    input.value = text.replace(",", ".") || String((Number(least) + Number(most)) / 2);
  } else if (input.value !== text) input.value = text;
}

/** The shared buttons without marks: there is nothing to redo and no "no errors". */
class FormActions extends Actions {
  constructor() {
    super();
    this.none.remove();
    this.redo.remove();
    setText(/** @type {Element} */ (this.submit.lastElementChild), "Enter");
  }
}
