// The mask editor: one image, many masks, one of them being painted. Only that one is a raster; all others are
// run-length text drawn once onto a canvas of their own. What is painted is the state's; undo is a state, too.

import { el } from "../page/dom.ts";
import { numberOf } from "./answer.js";
import { Raster, joined } from "./raster.js";
import { changes, fillRuns, fromText, measure, runsOf, toText } from "./rle.js";
import { Surface } from "./surface.js";

/** @import { Defect, Masked, Size } from "./answer.js" */
/** @import { Area, Point } from "./raster.js" */
/** @import { Box } from "./rle.js" */

/** Blue, vermilion, green, purple, orange, sky: distinct for everybody (Okabe and Ito). */
export const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
/** A press that moves less is a click, in pixels of the screen. */
const CLICK = 4;
const EDGE = 1.5;
const ARROW = 8;
const [SMALLEST, LARGEST] = [2, 400];

/** @typedef {{defects: readonly Defect[], active: string | null, tool: "outline" | "brush" | "box", erasing: boolean, locked: boolean}} Shown */

export class Editor {
  /**
   * @param {HTMLElement} picture holds the image
   * @param {(action: any) => void} act
   * @param {() => void} told called when zoom or brush change
   */
  constructor(picture, act, told) {
    this.act = act;
    this.told = told;
    this.proposed = el("canvas", { class: "proposed" });
    this.others = el("canvas", {});
    this.top = el("canvas", {});
    this.scratch = el("canvas", {});
    this.surface = new Surface(picture, [this.others, this.top], this);
    this.raster = new Raster(1, 1);
    /** @type {Shown} */
    this.shown = { defects: [], active: null, tool: "outline", erasing: false, locked: true };
    /** The text that the raster has. */
    this.text = "";
    /** @type {readonly Defect[]} the masks on the lower canvas */
    this.below = [];
    /** @type {readonly Masked[]} */
    this.suggested = [];
    this.thick = 0;
    this.size = 40;
    /** @type {0 | 1} */
    this.value = 1;
    this.painting = false;
    this.freehand = false;
    /** @type {Point[]} */
    this.outline = [];
    /** @type {Point} */
    this.began = [0, 0];
    /** @type {Point} */
    this.last = [0, 0];
    /** @type {Point} */
    this.cursor = [0, 0];
  }

  get width() {
    return this.raster.width;
  }

  get height() {
    return this.raster.height;
  }

  get active() {
    return this.shown.defects.find(({ id }) => id === this.shown.active) ?? null;
  }

  /** Pixels of the grid for one pixel of the screen. */
  get scale() {
    return this.surface.scale(this.width);
  }

  /** In pixels of the grid; the size is in pixels of the screen, as in painting programs. */
  get radius() {
    return Math.max(0.5, (this.size / 2) * this.scale);
  }

  /** Begins with another image. @param {Size} size */
  open([height, width]) {
    if (this.width !== width || this.height !== height) this.raster = new Raster(width, height);
    for (const canvas of [this.proposed, this.others, this.top]) Object.assign(canvas, { width, height });
    this.raster.bytes.fill(0);
    Object.assign(this, { text: "", below: [], suggested: [], thick: 0, outline: [], painting: false, cursor: [width / 2, height / 2] });
    this.shown = { ...this.shown, defects: [], active: null };
    this.surface.fit();
  }

  /** Draws what has changed. @param {Shown} shown */
  update(shown) {
    const before = this.shown;
    this.shown = shown;
    if (shown.locked || shown.tool !== before.tool) this.cancel();
    if (shown.active !== before.active) {
      this.cancel();
      this.drawAll();
    } else {
      this.drawBelow();
      this.drawChange();
    }
    this.showCursor();
  }

  /** Everything again: another mask is active, or the edges have another width. */
  drawAll() {
    this.drawBelow();
    if (this.suggested.length) this.propose(this.suggested);
    this.raster.bytes.fill(0);
    this.text = "";
    this.top.getContext("2d")?.clearRect(0, 0, this.width, this.height);
    this.drawChange();
  }

  /** The rectangle in which the mask of the state differs from the raster: after undo, a whole mask at first. */
  drawChange() {
    const mask = this.active?.mask ?? "";
    if (mask === this.text) return;
    const runs = (/** @type {string} */ text) => (text ? fromText(text) : [this.raster.bytes.length]);
    const area = this.raster.flip(changes(runs(this.text), runs(mask)));
    this.text = mask;
    this.draw(area);
  }

  /** All masks but the active one. */
  drawBelow() {
    const masks = this.shown.defects.filter(({ id, mask }) => mask && id !== this.shown.active);
    const thick = this.edge();
    const without = (/** @type {readonly Defect[]} */ these, /** @type {readonly Defect[]} */ those) => these.filter((one) => !those.some(({ id, mask }) => id === one.id && mask === one.mask));
    const changed = [...without(this.below, masks), ...without(masks, this.below)];
    const boxes = thick === this.thick ? changed.map(({ box }) => box) : [this.whole];
    [this.below, this.thick] = [masks, thick];
    this.paint(this.others, masks, packed, boxes);
  }

  /** Masks from outside, which are nobody's yet. @param {readonly Masked[]} masks */
  propose(masks) {
    this.suggested = masks;
    if (masks.length) this.others.before(this.proposed);
    this.paint(this.proposed, masks, () => GREY, [this.whole]);
  }

  /**
   * @template {Masked} Painted
   * @param {HTMLCanvasElement} canvas @param {readonly Painted[]} masks
   * @param {(mask: Painted) => [number, number]} colours of edge and area
   * @param {readonly Box[]} boxes within which masks have changed
   */
  paint(canvas, masks, colours, boxes) {
    const context = canvas.getContext("2d");
    const raster = new Raster(this.width, this.height);
    for (const changed of boxes) {
      const [left, top, right, bottom] = this.around(changed);
      context?.save();
      context?.beginPath();
      context?.rect(left, top, right - left, bottom - top);
      context?.clip();
      context?.clearRect(left, top, right - left, bottom - top);
      for (const painted of masks) {
        const [x, y, end, low] = this.around(painted.box);
        if (x >= right || end <= left || y >= bottom || low <= top) continue;
        const runs = fromText(painted.mask);
        fillRuns(runs, raster.bytes, 1);
        // A canvas of the mask's own size: a snapshot of a large one would be copied for every mask.
        Object.assign(this.scratch, { width: end - x, height: low - y });
        this.scratch.getContext("2d")?.putImageData(raster.pixels([x, y, end, low], ...colours(painted), this.thick), 0, 0);
        context?.drawImage(this.scratch, x, y);
        // Only its own pixels: emptying a large raster for every mask takes longer than drawing them.
        fillRuns(runs, raster.bytes, 0);
      }
      context?.restore();
    }
  }

  /** @returns {Box} */
  get whole() {
    return [0, 0, this.width, this.height];
  }

  /** @param {Box} box @returns {Area} with the casing around it */
  around([left, top, width, height]) {
    return this.grown([left, top, left + width, top + height]);
  }

  /** The edge of a mask has the same width on the screen, whatever the zoom. */
  edge() {
    return Math.max(1, Math.round(EDGE * this.scale));
  }

  /** @param {Area} area @returns {Area} with the casing around it */
  grown([x0, y0, x1, y1]) {
    const by = this.thick;
    return [Math.max(0, x0 - by), Math.max(0, y0 - by), Math.min(this.width, x1 + by), Math.min(this.height, y1 + by)];
  }

  /** @param {Area | null} area of the raster */
  draw(area) {
    if (!area || !this.shown.active) return;
    const around = this.grown(area);
    this.top.getContext("2d")?.putImageData(this.raster.pixels(around, ...packed({ id: this.shown.active }), this.thick), around[0], around[1]);
  }

  /** Takes back what has been painted since the last stroke. */
  restore() {
    const painted = runsOf(this.raster.bytes);
    const kept = this.text ? fromText(this.text) : [this.raster.bytes.length];
    this.draw(this.raster.flip(changes(painted, kept)));
  }

  /** Stores the raster as the mask of the active defect, after a stroke. */
  keep() {
    const { active } = this;
    const runs = runsOf(this.raster.bytes);
    const measures = measure(runs, this.height);
    this.text = measures.area ? toText(runs) : "";
    if (active && this.text !== active.mask) this.act({ type: "mask", id: active.id, mask: this.text, ...measures });
  }

  /** Makes sure that there is a mask to paint on: the first stroke begins the first defect. */
  ready() {
    if (this.shown.locked) return false;
    if (!this.active) this.act({ type: "add" });
    return this.active !== null;
  }

  /**
   * The other button erases, whatever the mode, as in segmentation editors; nothing erases a part of a box.
   * @param {boolean} [other] @returns {0 | 1}
   */
  valueOf(other = false) {
    return this.shown.tool !== "box" && this.shown.erasing !== other ? 0 : 1;
  }

  /** Whether there is a defect for a box: every box that is drawn is one of its own. */
  begun() {
    if (this.active?.area) this.act({ type: "add" });
    return !this.active?.area;
  }

  // What the surface reports

  /** @param {Point} point @param {boolean} other whether it is the other button */
  press(point, other) {
    if (!this.ready()) return;
    this.value = this.valueOf(other);
    [this.began, this.last, this.painting, this.freehand] = [point, point, true, false];
    if (this.shown.tool === "brush") this.draw(this.raster.stroke(point, point, this.radius, this.value));
    else if (!this.outline.length) this.outline = [point];
  }

  /** Every position that the device reported since the last frame. @param {readonly Point[]} points */
  move(points) {
    this.cursor = points.at(-1) ?? this.cursor;
    if (this.painting && this.shown.tool === "brush") {
      /** @type {Area | null} */
      let area = null;
      for (const point of points) {
        area = joined(area, this.raster.stroke(this.last, point, this.radius, this.value));
        this.last = point;
      }
      this.draw(area);
    } else if (this.painting) {
      this.freehand ||= distance(this.cursor, this.began) > CLICK * this.scale;
      if (this.shown.tool === "box") this.outline = cornersOf(this.began, this.cursor);
      else if (this.freehand) this.outline.push(...points);
    }
    this.showCursor();
  }

  /** The button is up, or the page goes away under the stroke: what is drawn so far is kept. */
  release() {
    if (!this.painting) return;
    this.painting = false;
    if (this.shown.tool === "brush") this.keep();
    else if (this.freehand) this.close();
    else if (this.shown.tool === "outline") this.vertex(this.began);
    else this.cancel();
    // The window may have changed under the stroke.
    this.placed();
  }

  /** A second finger, or a cancelled press: the stroke that has begun is taken back. */
  cancel() {
    if (this.painting && this.shown.tool === "brush") this.restore();
    this.painting = false;
    this.outline = [];
    this.showCursor();
  }

  /** The zoom has changed. */
  placed() {
    if (!this.painting && this.thick && this.edge() !== this.thick) this.drawAll();
    this.showCursor();
    this.told();
  }

  // Outlines: a drag is a freehand outline, clicks are the corners of a polygon

  /** @param {Point} point */
  vertex(point) {
    const [first] = this.outline;
    if (first && this.outline.length > 2 && distance(point, first) < 2 * CLICK * this.scale) return this.close();
    if (this.outline.length !== 1 || first !== point) this.outline.push(point);
    this.showCursor();
  }

  /** @param {boolean} [drawn] whether it was drawn; numbers replace the box before */
  close(drawn = true) {
    const points = this.outline;
    this.outline = [];
    this.freehand = false;
    if (points.length > 2 && this.active && (this.shown.tool !== "box" || !drawn || this.begun())) {
      const before = this.shown.tool === "box" ? this.raster.flip(changes(runsOf(this.raster.bytes), [this.raster.bytes.length])) : null;
      this.draw(joined(before, this.raster.polygon(points, this.value)));
      this.keep();
    }
    this.showCursor();
  }

  /** What keys and buttons ask for. @param {any} command of the state */
  carryOut(command) {
    const { surface } = this;
    switch (command.type) {
      case "arrow":
        return this.nudge(command.right, command.down, command.fine);
      case "stamp":
        return this.stamp();
      case "close_outline":
        return this.close();
      case "backspace":
        this.outline.pop();
        return this.showCursor();
      case "escape":
      case "cancel":
        return this.cancel();
      case "holes":
        return this.fillHoles();
      case "resize":
        return this.resize(command.by);
      case "rectangle":
        return this.rectangle(command.box);
      case "zoom":
        return command.by ? surface.magnify(command.by > 0 ? 1.5 : 1 / 1.5) : surface.fit();
      case "pan":
        surface.panning = command.on;
        return;
      case "hide":
        return surface.hide(command.on);
    }
  }

  fillHoles() {
    if (this.shown.locked || !this.active?.area) return;
    this.draw(this.raster.fillHoles(this.active.box));
    this.keep();
  }

  /** A rectangle given in numbers, for people who do not draw. @param {readonly number[]} box left, top, width, height */
  rectangle([left = 0, top = 0, width = 0, height = 0]) {
    if (!this.ready()) return;
    this.value = this.valueOf();
    this.outline = cornersOf([left, top], [left + width, top + height]);
    this.close(false);
  }

  /** @param {number} by factor */
  resize(by) {
    this.size = Math.round(Math.min(LARGEST, Math.max(SMALLEST, this.size * by + Math.sign(by - 1))));
    this.showCursor();
    this.told();
  }

  /** @param {number} right @param {number} down @param {boolean} fine */
  nudge(right, down, fine) {
    const step = Math.max(1, (fine ? 1 : ARROW) * this.scale);
    const [x, y] = this.cursor;
    this.cursor = [Math.min(this.width, Math.max(0, x + right * step)), Math.min(this.height, Math.max(0, y + down * step))];
    this.showCursor();
  }

  /** Paints at the cross, or sets a corner there; of a box the second corner closes it. */
  stamp() {
    if (!this.ready()) return;
    this.value = this.valueOf();
    const [first] = this.outline;
    if (this.shown.tool === "outline") return this.vertex([...this.cursor]);
    if (this.shown.tool === "brush") this.draw(this.raster.stroke(this.cursor, this.cursor, this.radius, this.value));
    else if (!first) return void (this.outline = [[...this.cursor]]);
    else this.outline = cornersOf(first, this.cursor);
    if (this.shown.tool === "box") this.close();
    else this.keep();
  }

  showCursor() {
    const { tool } = this.shown;
    const open = this.outline.length && !this.freehand && tool === "outline" ? [...this.outline, this.cursor] : this.outline;
    this.surface.showCursor(this.cursor, [this.width, this.height], tool === "brush" ? this.radius : 0, open);
  }
}

/** @param {Point} one @param {Point} other @returns {Point[]} of a box */
const cornersOf = ([x, y], [right, bottom]) => [[x, y], [right, y], [right, bottom], [x, bottom]];

/** @param {Point} one @param {Point} other */
const distance = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

/** Of suggested masks. @type {[number, number]} */
const GREY = [0xff404040, 0x99404040];

/** @param {{id: string}} defect @returns {[number, number]} the colours of edge and area, as the bytes of a canvas */
function packed({ id }) {
  const colour = COLOURS[(numberOf({ id }) - 1) % COLOURS.length] ?? "";
  const rgb = Number.parseInt(colour.slice(1), 16);
  const turned = ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16);
  return [((255 << 24) | turned) >>> 0, ((96 << 24) | turned) >>> 0];
}
