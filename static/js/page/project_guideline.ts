// The project's own guideline: its texts in the panel, and up to three examples for the current cell.

import { type Cell, titled } from "../labelling/taxonomy.ts";
import { type Content, dialogButton } from "./dialogs/frame.ts";
import { el, setAttribute, svg, targetButton } from "./dom.ts";
import { type Example, GuidelineNews } from "./guideline_news.ts";
import type { Desk } from "./desk.ts";

/** Radius of a pin, as a share of the image's longer side. */
const LARGE = 1 / 40;
const SMALL = 1 / 10;

export class OwnGuideline extends GuidelineNews {
  cell: Cell | null = null;
  readonly element = targetButton("guideline", "own-guideline", { "aria-haspopup": "dialog", "aria-keyshortcuts": "R", title: "Rules and examples (R)", hidden: true });

  override dialog(desk: Desk) {
    return this.cell && !this.element.hidden ? this.contentOf(this.cell, desk) : null;
  }

  /** Everything that the project says about one cell. */
  contentOf(cell: Cell, { config, dialogs }: Desk): Content {
    const texts = [cell.type, cell.part].map((name) =>
      el("p", {}, el("b", {}, `${titled(name)}: `), this.text(name) ?? config.definitions[name] ?? ""),
    );
    const decided = this.decisionsOf(cell).map((text) => el("li", {}, text));
    const examples = this.examplesOf(cell).map((example) =>
      el("figure", {}, this.imageOf(example), el("figcaption", {}, el("b", {}, example.alt), ` ${example.caption}`)),
    );
    const body = [
      ...texts,
      ...(decided.length ? [el("h3", {}, "Decisions"), el("ul", { class: "decided" }, ...decided)] : []),
      ...(examples.length ? [el("div", { class: "own-examples" }, ...examples)] : []),
      el("p", {}, el("a", { href: config.urls.guide, target: "_blank" }, `Guideline, version ${this.told.version}`)),
    ];
    const done = dialogButton("Close", () => dialogs.close(), { primary: true });
    done.autofocus = true;
    return { title: cell.title, body, buttons: [done], wide: examples.length > 0 };
  }

  /** A key that changes whenever the panel must be redrawn. */
  get key() {
    return `${this.told.version ?? ""} ${this.loadedAt}`;
  }

  /** The text on an error type or a body part. */
  text(name: string) {
    return this.told.texts?.[name];
  }

  examplesOf(cell: Cell): Example[] {
    const { cells = {}, examples = [] } = this.told;
    return (cells[cell.key] ?? []).flatMap((place) => examples[place] ?? []);
  }

  /** The decisions on a cell; those on the cell itself come first. */
  decisionsOf(cell: Cell) {
    return [cell.key, cell.type, cell.part].flatMap((name) => this.told.decisions?.[name] ?? []);
  }

  /** Shows what there is on a cell; null stands for the people. */
  show(cell: Cell | null) {
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

  /** If an image has been deleted, its example disappears. */
  imageOf({ src, width, height, alt, pins }: Example, radius: number = LARGE) {
    const image = el("img", { src, width, height, alt: radius === SMALL ? "" : alt, draggable: "false" });
    const picture = el("span", { class: "shown" }, image, ...(pins.length ? [dots(width, height, pins, radius)] : []));
    image.addEventListener("error", () => (picture.closest("figure") ?? picture).remove());
    return picture;
  }
}

const counted = (count: number, thing: string) => (count ? `${count} ${thing}${count === 1 ? "" : "s"}` : "");

const dots = (width: number, height: number, pins: [number, number][], radius: number) =>
  svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    ...pins.map(([x, y]) => svg("circle", { cx: x * width, cy: y * height, r: Math.max(width, height) * radius })),
  );
