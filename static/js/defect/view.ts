// The view of one image: the tools, the masks on the image, and their descriptions.

import { el, keyHint, lineIcon, setAttribute, setText, targetButton } from "../page/dom.ts";
import { GuidelineNews } from "../page/guideline_news.ts";
import { Actions } from "../page/viewing/actions.ts";
import { Header } from "../page/viewing/header.ts";
import { ImageView } from "../page/viewing/image_view.ts";
import { MessageLine } from "../page/viewing/message_line.ts";
import { EFFECTS, lackOf } from "./answer.ts";
import { Cards, numberTag } from "./cards.ts";
import { Editor } from "./editor.ts";
import { Proposals } from "./suggestions.ts";
import { TOOLS } from "./tools.ts";
import type { AssignmentState, Bar, Status } from "../page/server_types.ts";
import type { State } from "./state.ts";

const OUTLINES = "Draw round the defect, or click its corners. The other mouse button erases.";
const BOXES = "Each drag on the image is a box of its own.";

export class View {
  readonly header = new Header(this.addressOf);
  readonly stage = new ImageView();
  // The form's sentence is about rectangles in numbers, for those without this script.
  readonly hint = this.stage.hint.textContent ?? "";
  readonly panel = { own: new GuidelineNews() };
  readonly editor = new Editor(this.stage.picture, this.act, () => this.scaled());
  readonly tags = el("div", { class: "number-tags" });
  readonly tools: Map<string, HTMLElement> = new Map(TOOLS.map(([target, title, key, path]) => [target, targetButton(target, "mask-tool", { "aria-label": title }, lineIcon(path), el("small", { "aria-hidden": "true" }, `${title} ${key}`))]));
  readonly rail = el("div", { class: "mask-tools", role: "group", "aria-label": "Tools" }, ...this.tools.values());
  readonly zoom = targetButton("zoom", "button compact", { "aria-label": "Fit the image" });
  readonly brush = el("span", { class: "muted" });
  readonly cards = new Cards(this.act);
  readonly proposals = new Proposals(this.editor, this.stage.picture);
  readonly counted = el("p", { class: "muted", id: "counted" });
  readonly effects = EFFECTS.map((title, effect) => targetButton(`effect:${effect}`, "button compact", { "aria-pressed": "false" }, title));
  readonly effect = el("div", { class: "effect row" }, el("span", { id: "effect-title" }, "Effect on the image"), el("div", { class: "segments", role: "group", "aria-labelledby": "effect-title" }, ...this.effects));
  readonly line = new MessageLine();
  readonly actions = new MarkActions();
  readonly sheet = el(
    "div",
    { class: "sheet defect-marks", id: "sheet", role: "group", "aria-label": "Annotation" },
    el("div", { class: "ask" }, el("h2", {}, "Mark each defect"), this.counted),
    this.cards.element,
    this.effect,
    this.line.element,
    this.actions.element,
  );
  readonly carryOut = (asked: any) => this.editor.carryOut(asked);
  opened = false;
  /** Whether the picture can be seen: nobody draws on what has not appeared. */
  decoded = false;

  constructor(desk: HTMLElement, readonly addressOf: (id: number) => string, readonly act: (action: any) => void) {
    this.editor.surface.enlarged = (on) => this.stage.enlarged(on);
    this.stage.scale = () => this.editor.surface.zoom;
    this.stage.picture.append(this.tags);
    const step = (target: string, sign: string, title: string) => targetButton(target, "button compact", { "aria-label": title }, sign);
    const foot = el("span", { class: "zoom", role: "group", "aria-label": "Zoom" }, step("zoom.out", "−", "Zoom out"), this.zoom, step("zoom.in", "+", "Zoom in"));
    this.stage.hint.after(this.brush, foot);
    this.cards.element.append(this.proposals.element);
    desk.prepend(this.rail);
    desk.append(this.sheet);
  }

  show(assignment: AssignmentState, image: HTMLImageElement) {
    this.header.show(assignment);
    this.stage.show(assignment, image);
    this.editor.surface.focusable();
    this.opened = false;
    this.decoded = false;
    const shown = () => {
      if (this.stage.image !== image) return;
      this.decoded = true;
      this.redraw();
    };
    void image.decode().then(shown, shown);
  }

  update(state: State, { status, barred, locked }: { status: Status; barred: Bar | null; locked: boolean }) {
    const { answer, tool, erasing, message, past, future } = state;
    if (!this.opened) {
      this.opened = true;
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
    setText(this.counted, answer.noErrors ? "No defect" : answer.defects.length ? `${described} of ${answer.defects.length} described` : "");
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
  }

  redraw() {}

  drawMasks({ answer, active, tool, erasing }: State, locked: boolean) {
    this.editor.update({ defects: answer.defects, active, tool: answer.boxes ? "box" : tool, erasing, locked: locked || !this.decoded });
    this.tags.replaceChildren(...answer.defects.filter(({ area }) => area).map((defect) => numberTag(defect, answer.size)));
  }

  /** Zoom and brush have changed. */
  scaled() {
    const { surface, size } = this.editor;
    setText(this.zoom, `${Math.round(surface.zoom * 100)}%`);
    setText(this.brush, `Brush ${size}`);
    this.brush.hidden = this.editor.shown.tool === "box" || this.tools.get("tool:brush")?.getAttribute("aria-pressed") !== "true";
    setAttribute(this.tools.get("hide") ?? this.rail, "aria-pressed", String(surface.hidden));
  }

  focus({ writing, active }: State) {
    if (writing) this.cards.write(active);
    else this.editor.surface.frame.focus({ preventScroll: true });
  }
}

/** The shared buttons; undo and redo stand among the tools. */
class MarkActions extends Actions {
  constructor() {
    super();
    this.none.replaceChildren("No defect", keyHint("0"));
    this.undo.remove();
    this.redo.remove();
  }
}
