// The view of one image, assembled and kept up to date.

import { SEVERITIES, SEVERITY_TITLES } from "../../labelling/taxonomy.ts";
import { el } from "../../page/dom.ts";
import { Actions } from "../../page/viewing/actions.ts";
import { Header } from "../../page/viewing/header.ts";
import { readWeights } from "../score.ts";
import { Grid } from "./grid.ts";
import { Panel } from "./panel.ts";
import { People } from "./people.ts";
import { Stage } from "./stage.ts";
import type { AssignmentState, Bar, PageConfig, Status } from "../../page/server_types.ts";
import type { State } from "../state.ts";

export class View {
  readonly header = new Header(this.addressOf);
  readonly stage = new Stage(readWeights(this.config.weights));
  readonly people = new People();
  readonly grid = new Grid();
  readonly panel = new Panel(this.config.definitions);
  readonly actions = new Actions();
  readonly sheet = el(
    "div",
    { class: "sheet", id: "sheet", role: "group", "aria-label": "Annotation" },
    el("div", { class: "top-row" }, this.people.element, legend()),
    this.grid.tabs,
    this.grid.element,
    this.panel.element,
    this.actions.element,
  );

  constructor(desk: HTMLElement, readonly config: PageConfig, readonly addressOf: (id: number) => string) {
    desk.append(this.sheet);
  }

  show(assignment: AssignmentState, image: HTMLImageElement) {
    this.header.show(assignment);
    this.stage.show(assignment, image);
    this.grid.drawCurrent(null, false);
  }

  update(
    state: State,
    { status, barred, showScore, locked }: { status: Status; barred: Bar | null; showScore: boolean; locked: boolean },
  ) {
    this.people.update(state);
    this.grid.update(state, { closed: locked });
    this.panel.update(state);
    this.stage.update(state, { showScore });
    this.actions.update(state, status, barred);
  }

  tabbable(on: boolean) {
    this.grid.tabbable(on);
  }

  /** Moves the focus to its place in the state. */
  focus(state: State) {
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
