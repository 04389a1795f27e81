// The mask editor: one image, many masks, one of them being painted. Only that one is a raster; all others are
// run-length text drawn once onto a canvas of their own. What is painted is the state's; undo is a state, too.

import { el } from "../page/dom.ts";
import { type Defect, type Masked, numberOf, type Size } from "./answer.ts";
import { type Area, joined, type Point, Raster } from "./raster.ts";
import { type Box, changes, fillRuns, fromText, measure, runsOf, toText } from "./rle.ts";
import { Surface } from "./surface.ts";

/** Blue, vermilion, green, purple, orange, sky: distinct for everybody (Okabe and Ito). */
export const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
/** A press that moves less is a click, in pixels of the screen. */
const CLICK = 4;
const EDGE = 1.5;
const ARROW = 8;
const [SMALLEST, LARGEST] = [2, 400];

interface Shown {
  defects: readonly Defect[];
  active: string | null;
  tool: "outline" | "brush" | "box";
  erasing: boolean;
  locked: boolean;
}

export class Editor {
  readonly proposed = el("canvas", { class: "proposed" });
  readonly others = el("canvas", {});
  top = el("canvas", {});
  readonly scratch = el("canvas", {});
  readonly surface: Surface;
  raster = new Raster(1, 1);
  shown: Shown = { defects: [], active: null, tool: "outline", erasing: false, locked: true };
  /** The text that the raster has. */
  text = "";
  /** The masks on the lower canvas. */
  below: readonly Defect[] = [];
  suggested: readonly Masked[] = [];
  thick = 0;
  size = 40;
  value: 0 | 1 = 1;
  painting = false;
  freehand = false;
  outline: Point[] = [];
  began: Point = [0, 0];
  last: Point = [0, 0];
  cursor: Point = [0, 0];

  /** `told` is called when zoom or brush change. */
  constructor(picture: HTMLElement, readonly act: (action: any) => void, public told: () => void) {
    this.surface = new Surface(picture, [this.others, this.top], this);
  }

  get width() {
    return this.raster.width;
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

  /** Begins with another image. */
  open([height, width]: Size) {
    if (this.width !== width || this.raster.height !== height) this.raster = new Raster(width, height);
    for (const canvas of [this.proposed, this.others, this.top]) Object.assign(canvas, { width, height });
    this.raster.bytes.fill(0);
    Object.assign(this, { text: "", below: [], suggested: [], thick: 0, outline: [], painting: false, cursor: [width / 2, height / 2] });
    this.shown = { ...this.shown, defects: [], active: null };
    this.surface.fit();
  }

  /** Draws what has changed. */
  update(shown: Shown) {
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
    this.top.getContext("2d")?.clearRect(0, 0, this.width, this.raster.height);
    this.drawChange();
  }

  /** The rectangle in which the mask of the state differs from the raster: after undo, a whole mask at first. */
  drawChange() {
    const mask = this.active?.mask ?? "";
    if (mask === this.text) return;
    const area = this.raster.flip(changes(this.runsIn(this.text), this.runsIn(mask)));
    this.text = mask;
    this.draw(area);
  }

  runsIn(text: string) {
    return text ? fromText(text) : [this.raster.bytes.length];
  }

  /** All masks but the active one. */
  drawBelow() {
    const masks = this.shown.defects.filter(({ id, mask }) => mask && id !== this.shown.active);
    const thick = this.edge();
    const without = (these: readonly Defect[], those: readonly Defect[]) =>
      these.filter((one) => !those.some(({ id, mask }) => id === one.id && mask === one.mask));
    const changed = [...without(this.below, masks), ...without(masks, this.below)];
    const boxes = thick === this.thick ? changed.map(({ box }) => box) : [this.whole];
    [this.below, this.thick] = [masks, thick];
    this.paint(this.others, masks, packed, boxes);
  }

  /** Masks from outside, which are nobody's yet. */
  propose(masks: readonly Masked[]) {
    this.suggested = masks;
    if (masks.length) this.others.before(this.proposed);
    this.paint(this.proposed, masks, () => GREY, [this.whole]);
  }

  /** Draws again what lies in `boxes`, where masks have changed; `colours` are those of edge and area. */
  paint<Painted extends Masked>(
    canvas: HTMLCanvasElement,
    masks: readonly Painted[],
    colours: (mask: Painted) => [number, number],
    boxes: readonly Box[],
  ) {
    const context = canvas.getContext("2d");
    const raster = new Raster(this.width, this.raster.height);
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

  get whole(): Box {
    return [0, 0, this.width, this.raster.height];
  }

  /** A box with the casing around it. */
  around([left, top, width, height]: Box): Area {
    return this.grown([left, top, left + width, top + height]);
  }

  /** The edge of a mask has the same width on the screen, whatever the zoom. */
  edge() {
    return Math.max(1, Math.round(EDGE * this.scale));
  }

  /** An area with the casing around it. */
  grown([x0, y0, x1, y1]: Area): Area {
    const by = this.thick;
    return [Math.max(0, x0 - by), Math.max(0, y0 - by), Math.min(this.width, x1 + by), Math.min(this.raster.height, y1 + by)];
  }

  draw(area: Area | null) {
    if (!area || !this.shown.active) return;
    const around = this.grown(area);
    this.top.getContext("2d")?.putImageData(this.raster.pixels(around, ...packed({ id: this.shown.active }), this.thick), around[0], around[1]);
  }

  /** Takes back what has been painted since the last stroke. */
  restore() {
    this.draw(this.raster.flip(changes(runsOf(this.raster.bytes), this.runsIn(this.text))));
  }

  /** Stores the raster as the mask of the active defect, after a stroke. */
  keep() {
    const { active } = this;
    const runs = runsOf(this.raster.bytes);
    const measures = measure(runs, this.raster.height);
    this.text = measures.area ? toText(runs) : "";
    if (active && this.text !== active.mask) this.act({ type: "mask", id: active.id, mask: this.text, ...measures });
  }

  /** Makes sure that there is a mask to paint on: the first stroke begins the first defect. */
  ready() {
    if (this.shown.locked) return false;
    if (!this.active) this.act({ type: "add" });
    return this.active !== null;
  }

  /** The other button erases, whatever the mode, as in segmentation editors; nothing erases a part of a box. */
  valueOf(other = false): 0 | 1 {
    return this.shown.tool !== "box" && this.shown.erasing !== other ? 0 : 1;
  }

  /** Whether there is a defect for a box: every box that is drawn is one of its own. */
  begun() {
    if (this.active?.area) this.act({ type: "add" });
    return !this.active?.area;
  }

  // What the surface reports

  press(point: Point, other: boolean) {
    if (!this.ready()) return;
    this.value = this.valueOf(other);
    [this.began, this.last, this.painting, this.freehand] = [point, point, true, false];
    if (this.shown.tool === "brush") this.draw(this.raster.stroke(point, point, this.radius, this.value));
    else if (!this.outline.length) this.outline = [point];
  }

  /** Every position that the device reported since the last frame. */
  move(points: readonly Point[]) {
    this.cursor = points.at(-1) ?? this.cursor;
    if (this.painting && this.shown.tool === "brush") {
      let area: Area | null = null;
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

  vertex(point: Point) {
    const [first] = this.outline;
    if (first && this.outline.length > 2 && distance(point, first) < 2 * CLICK * this.scale) return this.close();
    if (this.outline.length !== 1 || first !== point) this.outline.push(point);
    this.showCursor();
  }

  /** Fills the outline; a box in numbers, which is not `drawn`, replaces the one before. */
  close(drawn = true) {
    const points = this.outline;
    this.outline = [];
    this.freehand = false;
    if (points.length > 2 && this.active && (this.shown.tool !== "box" || !drawn || this.begun())) {
      const before = this.shown.tool === "box" ? this.raster.flip(changes(runsOf(this.raster.bytes), this.runsIn(""))) : null;
      this.draw(joined(before, this.raster.polygon(points, this.value)));
      this.keep();
    }
    this.showCursor();
  }

  /** What keys and buttons ask for, as commands of the state. */
  carryOut(command: any) {
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

  /** A rectangle given in numbers, for people who do not draw. */
  rectangle([left = 0, top = 0, width = 0, height = 0]: readonly number[]) {
    if (!this.ready()) return;
    this.value = this.valueOf();
    this.outline = cornersOf([left, top], [left + width, top + height]);
    this.close(false);
  }

  resize(by: number) {
    this.size = Math.round(Math.min(LARGEST, Math.max(SMALLEST, this.size * by + Math.sign(by - 1))));
    this.showCursor();
    this.told();
  }

  nudge(right: number, down: number, fine: boolean) {
    const step = Math.max(1, (fine ? 1 : ARROW) * this.scale);
    const [x, y] = this.cursor;
    this.cursor = [Math.min(this.width, Math.max(0, x + right * step)), Math.min(this.raster.height, Math.max(0, y + down * step))];
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
    this.surface.showCursor(this.cursor, [this.width, this.raster.height], tool === "brush" ? this.radius : 0, open);
  }
}

const cornersOf = ([x, y]: Point, [right, low]: Point): Point[] => [[x, y], [right, y], [right, low], [x, low]];

const distance = ([ax, ay]: Point, [bx, by]: Point) => Math.hypot(ax - bx, ay - by);

/** Of suggested masks. */
const GREY: [number, number] = [0xff404040, 0x99404040];

/** The colours of edge and area, as the bytes of a canvas. */
function packed({ id }: { id: string }): [number, number] {
  const colour = COLOURS[(numberOf({ id }) - 1) % COLOURS.length] ?? "";
  const rgb = Number.parseInt(colour.slice(1), 16);
  const turned = ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16);
  return [((255 << 24) | turned) >>> 0, ((96 << 24) | turned) >>> 0];
}
