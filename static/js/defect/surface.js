// The image as a surface to draw on: the pointer, zoom and pan as one transform, the cross and the outline.

import { el, setAttribute } from "../page/dom.ts";

/** @import { Point } from "./raster.js" */

const [LEAST_ZOOM, MOST_ZOOM] = [1, 16];
/** How far the wheel turns for a factor of e. */
const WHEEL = 500;
const BRUSH_STEP = 1.1;

/**
 * @typedef {object} Painter
 * @property {number} width of the grid
 * @property {(point: Point, other: boolean) => void} press
 * @property {(points: readonly Point[]) => void} move
 * @property {() => void} release
 * @property {() => void} cancel
 * @property {() => void} close
 * @property {() => void} placed
 * @property {(by: number) => void} resize
 */

export class Surface {
  /** @param {HTMLElement} picture @param {readonly HTMLCanvasElement[]} canvases @param {Painter} painter */
  constructor(picture, canvases, painter) {
    this.picture = picture;
    this.painter = painter;
    this.frame = /** @type {HTMLElement} */ (picture.parentElement);
    this.ring = el("span", { class: "ring", hidden: true });
    this.cross = el("span", { class: "hair" });
    this.drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.path = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    for (const [name, value] of Object.entries({ viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" })) setAttribute(this.drawing, name, value);
    this.drawing.append(this.path);
    this.canvases = canvases;
    picture.append(...canvases, this.drawing, this.ring, this.cross);
    this.zoom = 1;
    /** @type {[number, number]} */
    this.pan = [0, 0];
    this.panning = false;
    this.hidden = false;
    this.box = picture.getBoundingClientRect();
    /** @type {Map<number, PointerEvent>} */
    this.pointers = new Map();
    /** @type {PointerEvent[]} */
    this.queue = [];
    this.waiting = 0;
    /** @type {[number, number] | null} */
    this.drag = null;
    /** @type {[number, number, number]} */
    this.fingers = [1, 0, 0];
    /** @type {(on: boolean) => void} */
    this.enlarged = () => undefined;
    this.listen();
  }

  /** Pixels of a grid this wide for one pixel of the screen. @param {number} width */
  scale(width) {
    return width / (this.box.width || 1);
  }

  /** Lets the keyboard reach the image, after the page has shown another one. */
  focusable() {
    const attributes = { tabindex: 0, role: "application", "aria-label": "Image. Arrow keys move the cross, Enter paints or sets a corner." };
    for (const [name, value] of Object.entries(attributes)) setAttribute(this.frame, name, value);
  }

  /** @returns {[number, number]} the image without zoom, in CSS px, to a tenth */
  imageSize() {
    const rounded = (/** @type {number} */ side) => Math.round((side / this.zoom) * 10) / 10;
    return [rounded(this.box.width), rounded(this.box.height)];
  }

  fit() {
    [this.zoom, this.pan] = [1, [0, 0]];
    this.place();
  }

  /** @param {number} by factor @param {number} [x] @param {number} [y] the point that stays, in pixels of the screen */
  magnify(by, x = this.box.left + this.box.width / 2, y = this.box.top + this.box.height / 2) {
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

  /** @param {boolean} [on] without it the other way round */
  hide(on = !this.hidden) {
    this.hidden = on;
    setAttribute(this.picture, "data-hidden", on);
    this.painter.placed();
  }

  /** @param {{clientX: number, clientY: number}} event @returns {Point} */
  at({ clientX, clientY }) {
    const scale = this.scale(this.painter.width);
    return [(clientX - this.box.left) * scale, (clientY - this.box.top) * scale];
  }

  listen() {
    const { frame } = this;
    frame.addEventListener("pointerdown", (event) => this.down(event));
    frame.addEventListener("pointermove", (event) => this.moved(event));
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) frame.addEventListener(end, (event) => this.up(event));
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

  /** @param {PointerEvent} event */
  down(event) {
    this.pointers.set(event.pointerId, event);
    if (event.isTrusted) this.frame.setPointerCapture(event.pointerId);
    if (this.pointers.size === 2) {
      this.painter.cancel();
      this.fingers = this.twoFingers();
    } else if (event.button === 1 || this.panning) this.drag = [event.clientX - this.pan[0], event.clientY - this.pan[1]];
    else if (event.button <= 2 && this.pointers.size === 1) this.painter.press(this.at(event), event.button === 2);
  }

  /** @returns {[number, number, number]} the distance of two fingers, and the point between them */
  twoFingers() {
    const [one, other] = [...this.pointers.values()];
    if (!one || !other) return this.fingers;
    return [Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1, (one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2];
  }

  /** @param {PointerEvent} event */
  moved(event) {
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

  /** @param {PointerEvent} event */
  up(event) {
    this.pointers.delete(event.pointerId);
    this.drag = null;
    this.drawn();
    if (event.type === "pointercancel") this.painter.cancel();
    else if (!this.pointers.size) this.painter.release();
  }

  /** @param {Point} cursor @param {Point} size of the grid @param {number} radius 0 without a brush @param {readonly Point[]} outline */
  showCursor(cursor, [width, height], radius, outline) {
    const percent = (/** @type {Point} */ [x, y]) => [(x / width) * 100, (y / height) * 100];
    const [x = 0, y = 0] = percent(cursor);
    this.ring.hidden = radius === 0;
    for (const mark of [this.ring, this.cross]) Object.assign(mark.style, { left: `${x}%`, top: `${y}%` });
    this.ring.style.width = `${((2 * radius) / width) * 100}%`;
    const points = outline.map((point) => percent(point).join()).join(" ");
    if (points || this.path.getAttribute("points")) setAttribute(this.path, "points", points);
  }
}
