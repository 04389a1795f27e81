// The view of one image, assembled and kept up to date.

import { SEVERITIES, SEVERITY_TITLES } from "../../labelling/taxonomy.js";
import { el } from "../../page/dom.js";
import { Actions } from "../../page/viewing/actions.js";
import { Header } from "../../page/viewing/header.js";
import { readWeights } from "../score.js";
import { Grid } from "./grid.js";
import { Panel } from "./panel.js";
import { People } from "./people.js";
import { Stage } from "./stage.js";

/** @import { AssignmentState, Bar, PageConfig, Status } from "../../page/server_types.js" */
/** @import { State } from "../state.js" */

export class View {
  /**
   * @param {HTMLElement} desk
   * @param {PageConfig} config
   * @param {(id: number) => string} addressOf
   */
  constructor(desk, config, addressOf) {
    this.header = new Header(addressOf);
    this.stage = new Stage(readWeights(config.weights));
    this.people = new People();
    this.grid = new Grid();
    this.panel = new Panel(config.definitions);
    this.actions = new Actions();
    const top = el("div", { class: "top-row" }, this.people.element, legend());
    this.sheet = el(
      "div",
      { class: "sheet", id: "sheet", role: "group", "aria-label": "Annotation" },
      top,
      this.grid.tabs,
      this.grid.element,
      this.panel.element,
      this.actions.element,
    );
    desk.append(this.sheet);
  }

  /** @param {AssignmentState} assignment @param {HTMLImageElement} image */
  show(assignment, image) {
    this.header.show(assignment);
    this.stage.show(assignment, image);
    this.grid.drawCurrent(null, false);
  }

  /**
   * @param {State} state
   * @param {{status: Status, barred: Bar | null, showScore: boolean, locked: boolean}} how
   */
  update(state, { status, barred, showScore, locked }) {
    this.people.update(state);
    this.grid.update(state, { closed: locked });
    this.panel.update(state);
    this.stage.update(state, { showScore });
    this.actions.update(state, status, barred);
  }

  /** @param {boolean} on */
  tabbable(on) {
    this.grid.tabbable(on);
  }

  /**
   * Moves the focus to its place in the state.
   * @param {State} state
   */
  focus(state) {
    const { place, cell } = state;
    if (place.at === "people") this.people.focus(state);
    else if (place.at === "pin") this.stage.focusPin(`pin:${cell.key}.${place.severity}.${place.index}`);
    else this.grid.focus(cell);
  }
}

const legend = () =>
  el(
    "p",
    { class: "legend", "aria-hidden": "true" },
    ...SEVERITIES.map((letter) =>
      el("span", { class: `severity ${letter}` }, el("b", {}, letter), SEVERITY_TITLES[letter]),
    ),
  );
