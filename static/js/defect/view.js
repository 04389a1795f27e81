// The view of one image: the tools, the masks on the image, and their descriptions.

import { el, setAttribute, setText } from "../page/dom.ts";
import { GuidelineNews } from "../page/guideline_news.ts";
import { Actions } from "../page/viewing/actions.ts";
import { Header } from "../page/viewing/header.ts";
import { ImageView } from "../page/viewing/image_view.ts";
import { MessageLine } from "../page/viewing/message_line.ts";
import { EFFECTS, lackOf } from "./answer.js";
import { cap, Cards, numberTag } from "./cards.js";
import { Editor } from "./editor.js";
import { Proposals } from "./suggestions.js";
import { TOOLS, toolIcon } from "./tools.js";

/** @import { AssignmentState, Bar, PageConfig, Status } from "../page/server_types.ts" */
/** @import { State } from "./state.js" */

const OUTLINES = "Draw round the defect, or click its corners. The other mouse button erases.";
const BOXES = "Each drag on the image is a box of its own.";

export class View {
  /**
   * @param {HTMLElement} desk
   * @param {PageConfig} _
   * @param {(id: number) => string} addressOf
   * @param {(action: any) => void} act
   */
  constructor(desk, _, addressOf, act) {
    this.header = new Header(addressOf);
    this.stage = new ImageView();
    // The form's sentence is about rectangles in numbers, for those without this script.
    this.hint = this.stage.hint.textContent ?? "";
    this.panel = { own: new GuidelineNews() };
    this.editor = new Editor(this.stage.picture, act, () => this.scaled());
    this.editor.surface.enlarged = (on) => this.stage.enlarged(on);
    this.stage.size = () => this.editor.surface.imageSize();
    this.tags = el("div", { class: "number-tags" });
    this.stage.picture.append(this.tags);
    /** @type {Map<string, HTMLElement>} */
    this.tools = new Map(TOOLS.map(([target, title, key, path]) => [target, el("button", { type: "button", class: "mask-tool", "data-target": target, "aria-label": title }, toolIcon(path), el("small", { "aria-hidden": "true" }, `${title} ${key}`))]));
    this.rail = el("div", { class: "mask-tools", role: "group", "aria-label": "Tools" }, ...this.tools.values());
    this.zoom = el("button", { type: "button", class: "button compact", "data-target": "zoom", "aria-label": "Fit the image" });
    const step = (/** @type {string} */ target, /** @type {string} */ sign, /** @type {string} */ title) =>
      el("button", { type: "button", class: "button compact", "data-target": target, "aria-label": title }, sign);
    this.brush = el("span", { class: "muted" });
    const foot = el("span", { class: "zoom", role: "group", "aria-label": "Zoom" }, step("zoom.out", "−", "Zoom out"), this.zoom, step("zoom.in", "+", "Zoom in"));
    this.stage.hint.after(this.brush, foot);
    this.cards = new Cards(act);
    this.proposals = new Proposals(this.editor, this.stage.picture);
    this.cards.element.append(this.proposals.element);
    this.counted = el("p", { class: "muted", id: "counted" });
    this.effects = EFFECTS.map((title, effect) => el("button", { type: "button", class: "button compact", "data-target": `effect:${effect}`, "aria-pressed": "false" }, title));
    this.effect = el("div", { class: "effect row" }, el("span", { id: "effect-title" }, "Effect on the image"), el("div", { class: "segments", role: "group", "aria-labelledby": "effect-title" }, ...this.effects));
    this.line = new MessageLine();
    this.actions = new MarkActions();
    this.sheet = el(
      "div",
      { class: "sheet defect-marks", id: "sheet", role: "group", "aria-label": "Annotation" },
      el("div", { class: "ask" }, el("h2", {}, "Mark each defect"), this.counted),
      this.cards.element,
      this.effect,
      this.line.element,
      this.actions.element,
    );
    desk.prepend(this.rail);
    desk.append(this.sheet);
    /** @type {any} */
    this.command = null;
    this.opened = false;
    /** Whether the picture can be seen: nobody draws on what has not appeared. */
    this.decoded = false;
  }

  /** @param {AssignmentState} assignment @param {HTMLImageElement} image */
  show(assignment, image) {
    this.header.show(assignment);
    this.stage.show(assignment, image);
    this.editor.surface.focusable();
    this.opened = false;
    this.command = null;
    this.decoded = false;
    const shown = () => {
      if (this.stage.image !== image) return;
      this.decoded = true;
      this.redraw();
    };
    void image.decode().then(shown, shown);
  }

  /**
   * @param {State} state
   * @param {{status: Status, barred: Bar | null, locked: boolean}} how
   */
  update(state, { status, barred, locked }) {
    const { answer, tool, erasing, message, past, future } = state;
    if (!this.opened) {
      this.opened = true;
      this.command = state.command;
      this.editor.open(answer.size);
      this.proposals.begin();
      for (const name of ["tool:outline", "tool:brush", "erase", "holes"]) this.tools.get(name)?.toggleAttribute("hidden", answer.boxes);
      setText(this.stage.hint, this.hint.replace(/^[^.]*\./, answer.boxes ? BOXES : OUTLINES));
    }
    this.redraw = () => this.drawMasks(state, locked);
    this.redraw();
    this.cards.update(state, locked);
    this.proposals.update(state, locked);
    const described = answer.defects.filter((defect) => !lackOf(defect, answer)).length;
    setText(this.counted, answer.defects.length ? `${described} of ${answer.defects.length} described` : "");
    this.effect.hidden = answer.noErrors;
    for (const [effect, button] of this.effects.entries()) {
      setAttribute(button, "aria-pressed", String(effect === answer.effect));
      setAttribute(button, "aria-disabled", locked ? "true" : null);
    }
    const pressed = { "tool:outline": tool === "outline", "tool:brush": tool === "brush", erase: erasing };
    for (const [target, on] of Object.entries(pressed)) setAttribute(this.tools.get(target) ?? this.rail, "aria-pressed", String(on));
    const able = { undo: past.length > 0, redo: future.length > 0, holes: this.editor.active !== null };
    for (const [target, on] of Object.entries(able)) setAttribute(this.tools.get(target) ?? this.rail, "aria-disabled", on && !locked ? null : "true");
    this.scaled();
    this.line.update(message);
    this.actions.update(state, status, barred);
    // The editor may answer with another action, which draws again.
    if (state.command !== this.command) {
      this.command = state.command;
      if (state.command) this.editor.carryOut(state.command);
    }
  }

  redraw() {}

  /** @param {State} state @param {boolean} locked */
  drawMasks({ answer, active, tool, erasing }, locked) {
    this.editor.update({ defects: answer.defects, active, tool: answer.boxes ? "box" : tool, erasing, locked: locked || !this.decoded });
    const [height, width] = answer.size;
    const marked = answer.defects.filter(({ area }) => area);
    while (this.tags.children.length > marked.length) this.tags.lastElementChild?.remove();
    for (const [place, { id, box }] of marked.entries()) {
      const known = /** @type {HTMLElement | undefined} */ (this.tags.children[place]);
      const tag = known?.textContent === id.slice(1) ? known : numberTag(id);
      if (!known) this.tags.append(tag);
      else if (known !== tag) known.replaceWith(tag);
      Object.assign(tag.style, { left: `${(box[0] / width) * 100}%`, top: `${(box[1] / height) * 100}%` });
    }
  }

  /** Zoom and brush have changed. */
  scaled() {
    const { surface, size } = this.editor;
    setText(this.zoom, `${Math.round(surface.zoom * 100)}%`);
    setText(this.brush, `Brush ${size}`);
    this.brush.hidden = this.editor.shown.tool === "box" || this.tools.get("tool:brush")?.getAttribute("aria-pressed") !== "true";
    setAttribute(this.tools.get("hide") ?? this.rail, "aria-pressed", String(surface.hidden));
  }

  /** @param {State} state */
  focus({ writing, active }) {
    if (writing) this.cards.write(active);
    else this.editor.surface.frame.focus({ preventScroll: true });
  }

  tabbable() {}
}

/** The shared buttons; undo and redo stand among the tools. */
class MarkActions extends Actions {
  constructor() {
    super();
    this.none.replaceChildren("No defect", cap("0"));
    this.undo.remove();
    this.redo.remove();
  }
}
