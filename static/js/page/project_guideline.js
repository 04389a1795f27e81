// The project's own guideline: its texts in the panel, and up to three examples for the current cell.

import { guidelineDialog } from "./dialogs/guideline.js";
import { el, setAttribute } from "./dom.js";
import { GuidelineNews } from "./guideline_news.js";

/** @import { Cell } from "../labelling/taxonomy.js" */
/** @import { Desk } from "./desk.js" */
/** @import { Example } from "./guideline_news.js" */

/** Radius of a pin, as a share of the image's longer side. */
const LARGE = 1 / 40;
const SMALL = 1 / 10;

export class OwnGuideline extends GuidelineNews {
  constructor() {
    super();
    /** @type {Readonly<Cell> | null} */
    this.cell = null;
    this.element = el("button", { type: "button", class: "own-guideline", "data-target": "guideline", "aria-haspopup": "dialog", "aria-keyshortcuts": "R", title: "Rules and examples (R)", hidden: true });
  }

  /** @override @param {Desk} desk */
  dialog(desk) {
    return this.cell && !this.element.hidden ? guidelineDialog(this, this.cell, desk) : null;
  }

  /** A key that changes whenever the panel must be redrawn. */
  get key() {
    return `${this.told.version ?? ""} ${this.loadedAt}`;
  }

  /** @param {string} name of an error type or a body part */
  text(name) {
    return this.told.texts?.[name];
  }

  /** @param {Readonly<Cell>} cell @returns {Example[]} */
  examplesOf(cell) {
    const { cells = {}, examples = [] } = this.told;
    return (cells[cell.key] ?? []).flatMap((place) => examples[place] ?? []);
  }

  /** @param {Readonly<Cell>} cell the decisions on the cell itself come first */
  decisionsOf(cell) {
    return [cell.key, cell.type, cell.part].flatMap((name) => this.told.decisions?.[name] ?? []);
  }

  /** @param {Readonly<Cell> | null} cell null for the people */
  show(cell) {
    this.cell = cell;
    const examples = cell ? this.examplesOf(cell) : [];
    const decided = cell ? this.decisionsOf(cell).length : 0;
    const changed = cell !== null && [cell.type, cell.part].some((name) => this.text(name) !== undefined);
    this.element.hidden = !(examples.length || decided || changed);
    const counts = [counted(examples.length, "example"), counted(decided, "decision")].filter(Boolean);
    setAttribute(this.element, "aria-label", ["Guideline", cell?.title, ...counts].filter(Boolean).join(", "));
    this.element.replaceChildren(
      ...examples.map((example) => this.imageOf(example, SMALL)),
      ...(examples.length ? [] : [el("span", {}, decided ? counted(decided, "decision") : "More")]),
    );
  }

  /** If an image has been deleted, its example disappears. @param {Example} example @param {number} [radius] */
  imageOf({ src, width, height, alt, pins }, radius = LARGE) {
    const image = el("img", { src, width, height, alt: radius === SMALL ? "" : alt, draggable: "false" });
    const picture = el("span", { class: "shown" }, image, ...(pins.length ? [dots(width, height, pins, radius)] : []));
    image.addEventListener("error", () => (picture.closest("figure") ?? picture).remove());
    return picture;
  }
}

/** @param {number} count @param {string} thing */
const counted = (count, thing) => (count ? `${count} ${thing}${count === 1 ? "" : "s"}` : "");

/** @param {number} width @param {number} height @param {[number, number][]} pins @param {number} radius */
function dots(width, height, pins, radius) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  setAttribute(svg, "viewBox", `0 0 ${width} ${height}`);
  setAttribute(svg, "aria-hidden", "true");
  for (const [x, y] of pins) {
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    setAttribute(dot, "cx", x * width);
    setAttribute(dot, "cy", y * height);
    setAttribute(dot, "r", Math.max(width, height) * radius);
    svg.append(dot);
  }
  return svg;
}
