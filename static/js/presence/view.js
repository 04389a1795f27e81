// The view of one image, assembled and kept up to date.

import { CELLS, titled } from "../labelling/taxonomy.js";
import { el, setAttribute, setClass, setText } from "../page/dom.js";
import { OwnGuideline } from "../page/project_guideline.js";
import { Actions } from "../page/viewing/actions.js";
import { Header } from "../page/viewing/header.js";
import { ZoomedView } from "../page/viewing/zoomed_view.js";
import { MessageLine } from "../page/viewing/message_line.js";
import { counted } from "./answer.js";
import { Toggles } from "./grid.js";

/** @import { Cell } from "../labelling/taxonomy.js" */
/** @import { AssignmentState, Bar, PageConfig, Status } from "../page/server_types.js" */
/** @import { State } from "./state.js" */

export class View {
  /**
   * @param {HTMLElement} desk
   * @param {PageConfig} config
   * @param {(id: number) => string} addressOf
   */
  constructor(desk, config, addressOf) {
    this.header = new Header(addressOf);
    this.stage = new ZoomedView();
    this.toggles = new Toggles();
    this.panel = new Definition(config);
    this.actions = new Actions();
    this.counted = el("p", { class: "muted", id: "counted" });
    this.asked = el("h2", {}, "Which errors do you see?");
    this.sheet = el(
      "div",
      { class: "sheet presence", id: "sheet", role: "group", "aria-label": "Annotation" },
      el("div", { class: "ask" }, this.asked, this.counted),
      this.toggles.element,
      this.panel.element,
      this.actions.element,
    );
    desk.append(this.sheet);
  }

  /** @param {AssignmentState} assignment @param {HTMLImageElement} image */
  show(assignment, image) {
    this.header.show(assignment);
    this.stage.show(assignment, image);
  }

  /**
   * @param {State} state
   * @param {{status: Status, barred: Bar | null, locked: boolean}} how
   */
  update(state, { status, barred, locked }) {
    setText(this.counted, counted(state.answer));
    this.toggles.update(state, { closed: locked });
    this.panel.update(state, locked);
    this.actions.update(state, status, barred);
  }

  /** @param {State} state */
  focus({ cell }) {
    this.toggles.focus(cell);
  }

  /** @param {boolean} on */
  tabbable(on) {
    this.toggles.tabbable(on);
  }
}

/** The definition of the current cell, a drawn example of its error type, and the message line. */
class Definition {
  /** @param {PageConfig} config */
  constructor({ definitions, pictures = {} }) {
    this.definitions = definitions;
    this.pictures = pictures;
    this.title = el("h2", { id: "panel-title" });
    this.text = el("p", { class: "definitions", id: "definitions" });
    this.picture = el("img", { class: "example", width: 96, height: 72, alt: "" });
    /** The yes and no buttons of guided mode. */
    this.asking = el("span", { class: "asking", hidden: true }, answerButton("yes", "Yes"), answerButton("no", "No"));
    this.keys = el("span", { class: "key-hint about-keys muted small", "aria-hidden": "true" }, key("Space"), " mark ", key("U"), " unsure ", key("← ↑ ↓ →"), " move");
    this.own = new OwnGuideline();
    this.line = new MessageLine();
    this.element = el(
      "section",
      { class: "panel", "aria-labelledby": this.title.id },
      el("div", { class: "panel-head" }, this.title, this.keys, this.asking),
      this.text,
      this.picture,
      this.own.element,
      this.line.element,
    );
    this.told = "";
  }

  /** @param {State} state @param {boolean} locked */
  update({ cell, guided, message }, locked) {
    if (this.told !== `${cell.key} ${this.own.key}`) this.tell(cell, guided);
    this.asking.hidden = !guided || locked;
    this.keys.hidden = guided || locked;
    setClass(this.element, "guided", guided);
    this.line.update(message);
  }

  /** @param {Readonly<Cell>} cell @param {boolean} guided */
  tell(cell, guided) {
    this.told = `${cell.key} ${this.own.key}`;
    this.own.show(cell);
    setText(this.title, guided ? `${CELLS.indexOf(cell) + 1} of ${CELLS.length}: ${cell.title}` : cell.title);
    this.text.replaceChildren(
      ...[cell.type, cell.part].flatMap((name) => [el("b", {}, `${titled(name)}:`), ` ${this.own.text(name) ?? this.definitions[name] ?? ""} `]),
    );
    setAttribute(this.picture, "src", this.pictures[cell.type]);
    // The project's own examples replace the drawn one.
    this.picture.hidden = !this.pictures[cell.type] || this.own.examplesOf(cell).length > 0;
  }
}

/** @param {string} name */
const key = (name) => el("kbd", {}, name);

/** @param {string} target @param {string} words */
const answerButton = (target, words) =>
  el("button", { type: "button", class: "button compact", "data-target": target }, words, el("kbd", { "aria-hidden": "true" }, words.charAt(0)));
