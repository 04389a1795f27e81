// The project's own guideline: its texts in the panel, and up to three examples for the current cell.

import { guidelineDialog } from "./dialogs/guideline.js";
import { el, setAttribute } from "./dom.js";
import { notice } from "./notices.js";

/** @import { Message } from "../labelling/messages.js" */
/** @import { Cell } from "../labelling/taxonomy.js" */
/** @import { Desk } from "./desk.js" */
/** @import { AssignmentState } from "./server_types.js" */

/** The addresses of the images expire after half an hour. */
const FRESH_MS = 20 * 60 * 1000;
/** How long each image that is opened announces a new version. */
const READ_MS = 8000;
/** Radius of a pin, as a share of the image's longer side. */
const LARGE = 1 / 40;
const SMALL = 1 / 10;

/** @typedef {{src: string, width: number, height: number, alt: string, caption: string, pins: [number, number][]}} Example */

/**
 * What the server sends. All keys are missing if no version has been published.
 * @typedef {object} Told
 * @property {string} [version]
 * @property {string} [summary] what the version changes
 * @property {Record<string, string>} [texts] by error type, body part, and others
 * @property {Record<string, string[]>} [decisions] by cell, error type and body part
 * @property {Example[]} [examples]
 * @property {Record<string, number[]>} [cells] positions in `examples` by cell
 */

export class OwnGuideline {
  constructor() {
    /** @type {Told} */
    this.told = {};
    this.loadedAt = -Infinity;
    /** @type {{message: Message, since: number | null} | null} a new version, and when it was first shown */
    this.news = null;
    /** @type {Readonly<Cell> | null} */
    this.cell = null;
    this.open = () => {};
    this.element = el("button", { type: "button", class: "own-guideline", "aria-haspopup": "dialog", "aria-keyshortcuts": "R", title: "Rules and examples (R)", hidden: true });
    this.element.addEventListener("click", () => this.open());
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

  /**
   * Loads the guideline of an assignment if there is a new version or the addresses may have expired.
   * @param {AssignmentState} assignment
   * @param {Desk} desk
   */
  async follow(assignment, desk) {
    this.open = () => this.cell && desk.dialogs.frame("guideline", guidelineDialog(this, this.cell, desk));
    const known = this.told.version ?? null;
    if (assignment.guideline !== known || (known !== null && performance.now() - this.loadedAt >= FRESH_MS)) {
      const { status, body } = await desk.tools.api.guideline(assignment.id);
      if (status !== 200) return;
      this.told = body;
      this.loadedAt = performance.now();
      const renewed = known !== null && this.told.version !== undefined && this.told.version !== known;
      if (renewed) this.news = { message: newVersionNotice(this.told), since: null };
      desk.draw();
    }
    this.tellNews(desk);
  }

  /**
   * Announces a new version on an image without work, and on the next one if the annotator leaves at once.
   * @param {Desk} desk
   */
  tellNews(desk) {
    if (!this.news || !desk.session?.untouched) return;
    this.news.since ??= performance.now();
    if (performance.now() - this.news.since < READ_MS) desk.say(this.news.message);
    else this.news = null;
  }
}

/** @param {Told} told */
const newVersionNotice = ({ version, summary }) =>
  notice("info", "guideline", `The guideline is now version ${version}${summary ? `: ${summary}` : "."}`);

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
