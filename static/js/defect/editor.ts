// The mask editor: one image, many masks, one of them being painted. Only that one is a raster; each other is
// run-length text drawn once onto a canvas of its size. What is painted is the state's; undo is a state, too.

import { el } from "../page/dom.ts";
import { type Defect, type Masked, numberOf, type Size, UNMARKED } from "./answer.ts";
import { type Area, joined, type Point, Raster } from "./raster.ts";
import { type Box, fillRuns, fromText, measure, runsOf, toText } from "./rle.ts";
import { Surface } from "./surface.ts";

/** Blue, vermilion, green, purple, orange, sky: distinct for everybody (Okabe and Ito). */
export const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
/** A press that moves less is a click, in pixels of the screen. */
const CLICK = 4;
const EDGE = 1.5;
const ARROW = 8;
const [SMALLEST, LARGEST] = [2, 400];

/** A mask with the id of its defect, or of its suggestion. */
type Named = Masked & { id: string };

interface Shown {
  defects: readonly Defect[];
  active: string | null;
  tool: "outline" | "brush" | "box";
  erasing: boolean;
  locked: boolean;
}

export class Editor {
  readonly top = el("canvas", { class: "own" });
  readonly surface: Surface;
  raster = new Raster(1, 1);
  shown: Shown = { defects: [], active: null, tool: "outline", erasing: false, locked: true };
  /** The mask that the raster has. */
  painted: Masked = UNMARKED;
  /** The canvases of all other masks, by what is on them. */
  below: Map<string, HTMLCanvasElement> = new Map();
  suggested: readonly Named[] = [];
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
    this.surface = new Surface(picture, this.top, this);
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
    Object.assign(this.top, { width, height });
    this.raster.bytes.fill(0);
    Object.assign(this, { painted: UNMARKED, suggested: [], thick: 0, outline: [], painting: false, cursor: [width / 2, height / 2] });
    this.shown = { ...this.shown, defects: [], active: null };
    this.drawBelow();
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
    this.raster.bytes.fill(0);
    this.painted = UNMARKED;
    this.top.getContext("2d")?.clearRect(0, 0, this.width, this.raster.height);
    this.drawChange();
  }

  /** The mask of the state where it differs from the raster: another mask, or after undo. */
  drawChange() {
    const { mask, area, box, centre } = this.active ?? UNMARKED;
    if (mask === this.painted.mask) return;
    const before = this.painted;
    this.painted = { mask, area, box, centre };
    this.repaint(joined(before.area ? this.around(before.box) : null, area ? this.around(box) : null));
  }

  /** Puts the mask of the state into the raster in place of what is there, and draws it again in an area. */
  repaint(area: Area | null) {
    this.raster.bytes.fill(0);
    fillRuns(fromText(this.painted.mask), this.raster.bytes, 1);
    this.draw(area);
  }

  /** All masks but the active one; those from outside, which are nobody's yet, at the bottom. */
  drawBelow() {
    const { defects, active } = this.shown;
    const before = this.below;
    this.thick = this.edge();
    const masks: Named[] = [...this.suggested, ...defects.filter(({ id, mask }) => mask && id !== active)];
    this.below = new Map(
      masks.map((masked) => {
        const key = `${this.thick} ${masked.id} ${masked.mask}`;
        return [key, before.get(key) ?? this.canvasOf(masked)];
      }),
    );
    for (const [key, canvas] of before) if (!this.below.has(key)) canvas.remove();
    const canvases = [...this.below.values()];
    if (canvases.some(({ isConnected }) => !isConnected)) this.top.before(...canvases);
  }

  canvasOf({ id, mask, box }: Named) {
    const [width, height] = [this.width, this.raster.height];
    const raster = new Raster(width, height);
    fillRuns(fromText(mask), raster.bytes, 1);
    const [x, y, right, low] = this.around(box);
    const isOwn = id.startsWith("d");
    const canvas = el("canvas", { class: isOwn ? "" : "proposed", width: right - x, height: low - y });
    canvas.getContext("2d")?.putImageData(raster.pixels([x, y, right, low], ...(isOwn ? packed(id) : GREY), this.thick), 0, 0);
    const sides = { left: x / width, top: y / height, width: canvas.width / width, height: canvas.height / height };
    for (const [side, share] of Object.entries(sides)) canvas.style.setProperty(side, `${share * 100}%`);
    return canvas;
  }

  propose(masks: readonly Named[]) {
    this.suggested = masks;
    this.drawBelow();
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
    this.top.getContext("2d")?.putImageData(this.raster.pixels(around, ...packed(this.shown.active), this.thick), around[0], around[1]);
  }

  /** Stores the raster as the mask of the active defect, after a stroke. */
  keep() {
    const { active } = this;
    const runs = runsOf(this.raster.bytes);
    const measures = measure(runs, this.raster.height);
    this.painted = { mask: measures.area ? toText(runs) : "", ...measures };
    if (active && this.painted.mask !== active.mask) this.act({ type: "mask", id: active.id, ...this.painted });
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
    if (this.painting && this.shown.tool === "brush") this.repaint([0, 0, this.width, this.raster.height]);
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
      const isBox = this.shown.tool === "box";
      if (isBox) this.raster.bytes.fill(0);
      const drawn = this.raster.polygon(points, this.value);
      this.draw(isBox && this.painted.area ? joined(this.around(this.painted.box), drawn) : drawn);
      this.keep();
    }
    this.showCursor();
  }

  /** What keys and buttons ask for. */
  carryOut({ type, ...asked }: any) {
    const { surface } = this;
    const carriedOut: Readonly<Record<string, () => void>> = {
      arrow: () => this.nudge(asked.right, asked.down, asked.fine),
      stamp: () => this.stamp(),
      close_outline: () => this.close(),
      backspace: () => (this.outline.pop(), this.showCursor()),
      escape: () => this.cancel(),
      holes: () => this.fillHoles(),
      resize: () => this.resize(asked.by),
      rectangle: () => this.rectangle(asked.box),
      zoom: () => (asked.by ? surface.magnify(asked.by > 0 ? 1.5 : 1 / 1.5) : surface.fit()),
      pan: () => (surface.panning = asked.on),
      hide: () => surface.hide(asked.on),
    };
    carriedOut[type]?.();
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
function packed(id: string): [number, number] {
  const colour = COLOURS[(numberOf({ id }) - 1) % COLOURS.length] ?? "";
  const rgb = Number.parseInt(colour.slice(1), 16);
  const turned = ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16);
  return [((255 << 24) | turned) >>> 0, ((96 << 24) | turned) >>> 0];
}
