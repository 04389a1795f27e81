// The view of one image, assembled and kept up to date.

import { type Cell, CELLS, titled } from "../labelling/taxonomy.ts";
import { el, keyCap, setAttribute, setClass, setText, targetButton } from "../page/dom.ts";
import { OwnGuideline } from "../page/project_guideline.ts";
import { Actions } from "../page/viewing/actions.ts";
import { Header } from "../page/viewing/header.ts";
import { ZoomedView } from "../page/viewing/zoom.ts";
import { MessageLine } from "../page/viewing/message_line.ts";
import { counted } from "./answer.ts";
import { Toggles } from "./grid.ts";
import type { AssignmentState, Bar, PageConfig, Status } from "../page/server_types.ts";
import type { State } from "./state.ts";

export class View {
  readonly header = new Header(this.addressOf);
  readonly stage = new ZoomedView();
  readonly toggles = new Toggles();
  readonly panel = new Definition(this.config);
  readonly actions = new Actions();
  readonly counted = el("p", { class: "muted", id: "counted" });
  readonly sheet = el(
    "div",
    { class: "sheet presence", id: "sheet", role: "group", "aria-label": "Annotation" },
    el("div", { class: "ask" }, el("h2", {}, "Which errors do you see?"), this.counted),
    this.toggles.element,
    this.panel.element,
    this.actions.element,
  );

  constructor(desk: HTMLElement, readonly config: PageConfig, readonly addressOf: (id: number) => string) {
    desk.append(this.sheet);
  }

  show(assignment: AssignmentState, image: HTMLImageElement) {
    this.header.show(assignment);
    this.stage.show(assignment, image);
  }

  update(state: State, { status, barred, locked }: { status: Status; barred: Bar | null; locked: boolean }) {
    setText(this.counted, counted(state.answer));
    this.toggles.update(state, { closed: locked });
    this.panel.update(state, locked);
    this.actions.update(state, status, barred);
  }

  focus({ cell }: State) {
    this.toggles.focus(cell);
  }

  tabbable(on: boolean) {
    this.toggles.tabbable(on);
  }
}

/** The definition of the current cell, a drawn example of its error type, and the message line. */
class Definition {
  title = el("h2", { id: "panel-title" });
  text = el("p", { class: "definitions", id: "definitions" });
  readonly picture = el("img", { class: "example", width: 96, height: 72, alt: "" });
  /** The yes and no buttons of guided mode. */
  readonly asking = el("span", { class: "asking", hidden: true }, answerButton("yes", "Yes"), answerButton("no", "No"));
  readonly keys = el("span", { class: "key-hint about-keys muted small", "aria-hidden": "true" }, keyCap("Space"), " mark ", keyCap("U"), " unsure ", keyCap("← ↑ ↓ →"), " move");
  readonly own = new OwnGuideline();
  readonly line = new MessageLine();
  readonly element = el(
    "section",
    { class: "panel", "aria-labelledby": this.title.id },
    el("div", { class: "panel-head" }, this.title, this.keys, this.asking),
    this.text,
    this.picture,
    this.own.element,
    this.line.element,
  );
  told = "";

  constructor(readonly config: PageConfig) {}

  update({ cell, guided, message }: State, locked: boolean) {
    if (this.told !== `${cell.key} ${this.own.key}`) this.tell(cell, guided);
    this.asking.hidden = !guided || locked;
    this.keys.hidden = guided || locked;
    setClass(this.element, "guided", guided);
    this.line.update(message);
  }

  tell(cell: Cell, guided: boolean) {
    const { definitions, pictures = {} } = this.config;
    this.told = `${cell.key} ${this.own.key}`;
    this.own.show(cell);
    setText(this.title, guided ? `${CELLS.indexOf(cell) + 1} of ${CELLS.length}: ${cell.title}` : cell.title);
    this.text.replaceChildren(
      ...[cell.type, cell.part].flatMap((name) => [el("b", {}, `${titled(name)}:`), ` ${this.own.text(name) ?? definitions[name] ?? ""} `]),
    );
    setAttribute(this.picture, "src", pictures[cell.type]);
    // The project's own examples replace the drawn one.
    this.picture.hidden = !pictures[cell.type] || this.own.examplesOf(cell).length > 0;
  }
}

const answerButton = (target: string, words: string) =>
  targetButton(target, "button compact", {}, words, el("kbd", { "aria-hidden": "true" }, words.charAt(0)));
