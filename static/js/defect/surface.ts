// The image as a surface to draw on: the pointer, zoom and pan as one transform, the cross and the outline.

import { el, setAttribute, svg } from "../page/dom.ts";
import type { Editor } from "./editor.ts";
import type { Point } from "./raster.ts";

const [LEAST_ZOOM, MOST_ZOOM] = [1, 16];
/** How far the wheel turns for a factor of e. */
const WHEEL = 500;
const BRUSH_STEP = 1.1;

export class Surface {
  readonly frame = this.picture.parentElement as HTMLElement;
  readonly ring = el("span", { class: "ring", hidden: true });
  readonly cross = el("span", { class: "hair" });
  readonly path = svg("polyline", {});
  readonly drawing = svg("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, this.path);
  zoom = 1;
  pan: [number, number] = [0, 0];
  panning = false;
  hidden = false;
  box = this.picture.getBoundingClientRect();
  readonly pointers: Map<number, PointerEvent> = new Map();
  readonly queue: PointerEvent[] = [];
  waiting = 0;
  drag: [number, number] | null = null;
  fingers: [number, number, number] = [1, 0, 0];
  enlarged: (on: boolean) => void = () => undefined;

  constructor(
    readonly picture: HTMLElement,
    readonly canvas: HTMLCanvasElement,
    readonly painter: Editor,
  ) {
    picture.append(canvas, this.drawing, this.ring, this.cross);
    this.listen();
  }

  /** Pixels of a grid this wide for one pixel of the screen. */
  scale(width: number) {
    return width / (this.box.width || 1);
  }

  /** Lets the keyboard reach the image, after the page has shown another one. */
  focusable() {
    const attributes = { tabindex: 0, role: "application", "aria-label": "Image. Arrow keys move the cross, Enter paints or sets a corner." };
    for (const [name, value] of Object.entries(attributes)) setAttribute(this.frame, name, value);
  }

  fit() {
    [this.zoom, this.pan] = [1, [0, 0]];
    this.place();
  }

  /** The point given in pixels of the screen stays where it is. */
  magnify(by: number, x: number = this.box.left + this.box.width / 2, y: number = this.box.top + this.box.height / 2) {
    const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, this.zoom * by));
    const grown = zoom / this.zoom - 1;
    this.pan = zoom === 1 ? [0, 0] : [this.pan[0] - (x - this.box.left) * grown, this.pan[1] - (y - this.box.top) * grown];
    this.zoom = zoom;
    this.place();
  }

  place() {
    const { style } = this.picture;
    for (const [name, value] of Object.entries({ "--pan-x": `${this.pan[0]}px`, "--pan-y": `${this.pan[1]}px`, "--zoom": String(this.zoom) })) style.setProperty(name, value);
    this.box = this.picture.getBoundingClientRect();
    this.enlarged(this.zoom > 1);
    setAttribute(this.picture, "data-coarse", this.scale(this.painter.width) < 0.5);
    this.painter.placed();
  }

  hide(on: boolean = !this.hidden) {
    this.hidden = on;
    setAttribute(this.picture, "data-hidden", on);
    this.painter.placed();
  }

  at({ clientX, clientY }: { clientX: number; clientY: number }): Point {
    const scale = this.scale(this.painter.width);
    return [(clientX - this.box.left) * scale, (clientY - this.box.top) * scale];
  }

  listen() {
    const { frame } = this;
    frame.addEventListener("pointerdown", (event) => this.down(event));
    frame.addEventListener("pointermove", (event) => this.moved(event));
    for (const end of ["pointerup", "pointercancel"] as const) frame.addEventListener(end, (event) => this.up(event));
    frame.addEventListener("dblclick", () => this.painter.close());
    frame.addEventListener("contextmenu", (event) => event.preventDefault());
    frame.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        if (event.altKey) this.painter.resize(event.deltaY < 0 ? BRUSH_STEP : 1 / BRUSH_STEP);
        else this.magnify(Math.exp(-event.deltaY / WHEEL), event.clientX, event.clientY);
      },
      { passive: false },
    );
    new ResizeObserver(() => this.place()).observe(frame);
    // Before the page stores what there is: a stroke that is cut off is part of it.
    for (const away of ["pagehide", "visibilitychange"]) window.addEventListener(away, () => (this.drawn(), this.painter.release()), { capture: true });
    document.addEventListener("keyup", ({ key }) => {
      if (key === " ") this.panning = false;
      if (key.toLowerCase() === "v" && this.hidden) this.hide(false);
    });
  }

  down(event: PointerEvent) {
    this.pointers.set(event.pointerId, event);
    if (event.isTrusted) this.frame.setPointerCapture(event.pointerId);
    if (this.pointers.size === 2) {
      this.painter.cancel();
      this.fingers = this.twoFingers();
    } else if (event.button === 1 || this.panning) this.drag = [event.clientX - this.pan[0], event.clientY - this.pan[1]];
    else if (event.button <= 2 && this.pointers.size === 1) this.painter.press(this.at(event), event.button === 2);
  }

  /** The distance of two fingers, and the point between them. */
  twoFingers(): [number, number, number] {
    const [one, other] = [...this.pointers.values()];
    if (!one || !other) return this.fingers;
    return [Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1, (one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2];
  }

  moved(event: PointerEvent) {
    if (this.pointers.has(event.pointerId)) this.pointers.set(event.pointerId, event);
    if (this.pointers.size === 2) return this.pinched();
    if (this.drag) {
      this.pan = [event.clientX - this.drag[0], event.clientY - this.drag[1]];
      return this.place();
    }
    // Every position that the device reported is painted, once for each frame.
    const events = event.getCoalescedEvents();
    this.queue.push(...(events.length ? events : [event]));
    this.waiting ||= requestAnimationFrame(() => this.drawn());
  }

  pinched() {
    const [[before, bx, by], [spread, x, y]] = [this.fingers, (this.fingers = this.twoFingers())];
    this.pan = [this.pan[0] + x - bx, this.pan[1] + y - by];
    this.place();
    this.magnify(spread / before, x, y);
  }

  /** Hands on the positions of this frame. */
  drawn() {
    cancelAnimationFrame(this.waiting);
    this.waiting = 0;
    const points = this.queue.splice(0).map((event) => this.at(event));
    if (points.length) this.painter.move(points);
  }

  up(event: PointerEvent) {
    this.pointers.delete(event.pointerId);
    this.drag = null;
    this.drawn();
    if (event.type === "pointercancel") this.painter.cancel();
    else if (!this.pointers.size) this.painter.release();
  }

  /** Within the size of the grid; the radius is 0 without a brush. */
  showCursor(cursor: Point, [width, height]: Point, radius: number, outline: readonly Point[]) {
    const percent = ([x, y]: Point) => [(x / width) * 100, (y / height) * 100];
    const [x = 0, y = 0] = percent(cursor);
    this.ring.hidden = radius === 0;
    for (const mark of [this.ring, this.cross]) Object.assign(mark.style, { left: `${x}%`, top: `${y}%` });
    this.ring.style.width = `${((2 * radius) / width) * 100}%`;
    const points = outline.map((point) => percent(point).join()).join(" ");
    if (points || this.path.getAttribute("points")) setAttribute(this.path, "points", points);
  }
}
