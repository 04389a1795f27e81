// Enlarge the image as the batch allows it: not at all, with a loupe, or freely. Its brightness never changes. The
// image of a protocol whose batches may allow to enlarge it.

import { ARROWS, entryOf } from "../../labelling/keys.ts";
import { byId, el, setAttribute, setText, targetButton } from "../dom.ts";
import { ImageView } from "./image_view.ts";
import type { AssignmentState } from "../server_types.ts";

const LOUPE = 2;
const STEPS = [1, 1.5, 2, 3, 4];
const ARROW_PX = 60;
const STILL_PX = 4;

type ZoomRule = "none" | "loupe" | "free";

export class Zoom {
  readonly frame = this.picture.parentElement as HTMLElement;
  scale = 1;
  x = 0;
  y = 0;
  /** What the batch allows. */
  allowed: ZoomRule = "none";
  rule: ZoomRule = "none";
  /** Called when enlarging begins and ends. */
  changed: (on: boolean) => void = () => undefined;
  enlarged = el("img", { alt: "", draggable: "false" });
  readonly lens = el("div", { class: "lens", "aria-hidden": "true", hidden: true }, this.enlarged);
  readonly main = targetButton("zoom", "button compact", {});
  readonly less = targetButton("zoom.out", "button compact", { "aria-label": "Zoom out" }, "−");
  readonly more = targetButton("zoom.in", "button compact", { "aria-label": "Zoom in" }, "+");
  readonly buttons = el("span", { class: "zoom", role: "group", "aria-label": "Zoom", hidden: true }, this.less, this.main, this.more);

  /** `picture` holds the image and its pins, `foot` the buttons. */
  constructor(readonly picture: HTMLElement, foot: HTMLElement) {
    foot.append(this.buttons);
    this.frame.addEventListener("pointermove", (event) => this.moved(event));
    this.frame.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    this.frame.addEventListener("keydown", (event) => this.pressed(event));
    this.listenToDrags();
  }

  get on() {
    return this.scale > 1;
  }

  /** Prepares for another image, which is shown at its normal size. */
  show(rule: ZoomRule) {
    this.allowed = rule;
    this.use(rule);
  }

  /**
   * Shows the loupe while the annotator counts by dots, whatever the batch allows, and takes it away afterwards. A
   * batch with free zoom keeps that.
   */
  lend(on: boolean) {
    if (this.allowed === "free") return;
    this.use(on ? "loupe" : this.allowed);
    if (on) this.to(LOUPE);
  }

  use(rule: ZoomRule) {
    this.rule = rule;
    if (rule === "loupe") this.picture.append(this.lens);
    else this.lens.remove();
    this.to(1);
    this.buttons.hidden = rule === "none";
    this.less.hidden = this.more.hidden = rule !== "free";
  }

  /** Switches enlarging on or off; with `by`, one step up or down. Returns false if the batch does not allow it. */
  turn(by?: number): boolean {
    if (this.rule === "none") return false;
    const next = STEPS[STEPS.indexOf(this.scale) + (by ?? 0)];
    this.to(by && this.rule === "free" ? (next ?? this.scale) : this.on ? 1 : LOUPE);
    return true;
  }

  to(scale: number) {
    if (this.on !== scale > 1) this.changed(scale > 1);
    this.scale = scale;
    const loupe = this.rule === "loupe";
    const percent = `${scale * 100}%`;
    setText(this.main, loupe ? "Loupe 2×" : percent);
    setAttribute(this.main, "aria-pressed", String(this.on));
    setAttribute(this.main, "aria-label", loupe ? null : `${percent}, zoom`);
    setAttribute(this.frame, "tabindex", this.on ? "0" : null);
    setAttribute(this.frame, "role", this.on ? "group" : null);
    setAttribute(this.frame, "aria-label", this.on ? "Enlarged image. Arrow keys move it" : null);
    this.frame.classList.toggle("enlarged", this.on);
    this.lens.hidden = !(loupe && this.on);
    if (loupe && this.on) this.look(this.picture.clientWidth / 2, this.picture.clientHeight / 2);
    if (!loupe) this.pan(this.on ? this.x : 0, this.on ? this.y : 0);
  }

  /** Puts the loupe over a place on the image, in CSS px from its upper left corner. */
  look(x: number, y: number) {
    const { clientWidth: width, clientHeight: height } = this.picture;
    this.x = Math.min(Math.max(x, 0), width);
    this.y = Math.min(Math.max(y, 0), height);
    const source = this.picture.querySelector("img")?.src ?? "";
    if (this.enlarged.src !== source) this.enlarged.src = source;
    for (const [name, value] of Object.entries({ x: this.x, y: this.y, width: width * LOUPE, height: height * LOUPE }))
      this.lens.style.setProperty(`--${name}`, `${value}px`);
  }

  /** Moves the enlarged image by CSS px from the middle; its edges stay outside the frame. */
  pan(x: number, y: number) {
    const most = (side: number) => (side * (this.scale - 1)) / 2;
    const [across, down] = [most(this.picture.clientWidth), most(this.picture.clientHeight)];
    this.x = Math.min(Math.max(x, -across), across);
    this.y = Math.min(Math.max(y, -down), down);
    this.picture.style.setProperty("--pan-x", `${this.x}px`);
    this.picture.style.setProperty("--pan-y", `${this.y}px`);
    this.picture.style.setProperty("--zoom", String(this.scale));
  }

  moved({ clientX, clientY }: PointerEvent) {
    if (!this.on || this.rule !== "loupe") return;
    const { left, top } = this.picture.getBoundingClientRect();
    this.look(clientX - left, clientY - top);
  }

  wheeled(event: WheelEvent) {
    if (this.rule !== "free") return;
    event.preventDefault();
    this.turn(event.deltaY < 0 ? 1 : -1);
  }

  pressed(event: KeyboardEvent) {
    const arrow = entryOf(ARROWS, event.key);
    if (!this.on || !arrow || event.target !== this.frame) return;
    event.preventDefault();
    event.stopPropagation();
    const [right, down] = arrow;
    if (this.rule === "loupe") this.look(this.x + right * ARROW_PX, this.y + down * ARROW_PX);
    else this.pan(this.x - right * ARROW_PX, this.y - down * ARROW_PX);
  }

  /** Dragging moves the enlarged image. The click that ends it adds no pin. */
  listenToDrags() {
    let from: { x: number; y: number } | null = null;
    let dragged = false;
    this.frame.addEventListener("pointerdown", ({ clientX, clientY }) => {
      dragged = false;
      from = this.on && this.rule === "free" ? { x: clientX - this.x, y: clientY - this.y } : null;
    });
    document.addEventListener("pointermove", ({ clientX, clientY }) => {
      if (!from) return;
      const [x, y] = [clientX - from.x, clientY - from.y];
      dragged ||= Math.hypot(x - this.x, y - this.y) > STILL_PX;
      if (dragged) this.pan(x, y);
    });
    for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => (from = null));
    this.frame.addEventListener("click", (event) => dragged && event.stopPropagation(), { capture: true });
  }
}

export class ZoomedView extends ImageView {
  override zoom = new Zoom(this.picture, byId("stage-foot"));

  constructor() {
    super();
    this.zoom.changed = (on) => this.enlarged(on);
  }

  override show(assignment: AssignmentState, ready: HTMLImageElement) {
    super.show(assignment, ready);
    this.zoom.show(assignment.batch.settings?.zoom ?? "none");
  }
}
