// The view of one image: ten buttons in three tiers, the reasons, the message line and the last ratings.

import { el, keyCap, setAttribute } from "../page/dom.js";
import { OwnGuideline } from "../page/project_guideline.js";
import { Actions } from "../page/viewing/actions.js";
import { Header } from "../page/viewing/header.js";
import { ImageView } from "../page/viewing/image_view.js";
import { MessageLine } from "../page/viewing/message_line.js";
import { REASONS } from "./answer.js";
import { RecentRatings } from "./recent_ratings.js";

/** @import { AssignmentState, Bar, PageConfig, Status } from "../page/server_types.js" */
/** @import { InputGuard } from "./input_guard.js" */
/** @import { State } from "./state.js" */

/** @type {readonly (readonly [string, string, string, string, readonly number[]])[]} */
const TIERS = [
  ["major", "Major errors", "obvious at first glance", "Limb missing or extra, body deformed, pose impossible.", [1, 2, 3]],
  ["moderate", "Moderate errors", "borderline", "Fingers missing or extra, part of the body blurred.", [4, 5, 6, 7]],
  ["none", "None or negligible", "", "No obvious error of the body.", [8, 9, 10]],
];

export class View {
  /**
   * @param {HTMLElement} desk
   * @param {PageConfig} config
   * @param {(id: number) => string} addressOf
   * @param {InputGuard} guard
   */
  constructor(desk, config, addressOf, guard) {
    this.guard = guard;
    this.header = new Header(addressOf);
    this.stage = new ImageView();
    this.panel = { own: new OwnGuideline() };
    this.line = new MessageLine();
    this.actions = new RatingActions();
    this.recent = new RecentRatings(config.user, addressOf);
    /** @type {Map<string, HTMLElement>} */
    this.buttons = new Map();
    const tiers = TIERS.map((tier) => this.tier(...tier));
    const reasons = REASONS.map(({ code, title, text }, place) => this.button(`invalid:${code}`, { class: "reason", title: text }, cap(`I ${place + 1}`), title));
    this.sheet = el(
      "div",
      { class: "sheet realism", id: "sheet", role: "group", "aria-label": "Rating" },
      el("div", { class: "ask" }, el("h2", {}, "How realistic is the body?"), el("p", { class: "muted", "aria-hidden": "true" }, "Keys ", cap("1"), " to ", cap("9"), "; ", cap("0"), " for 10")),
      el("div", { class: "tiers" }, ...tiers),
      el(
        "section",
        { class: "cannot", "aria-labelledby": "cannot-title" },
        el("h3", { id: "cannot-title" }, "Invalid", el("span", { class: "muted" }, "cannot be rated")),
        el("div", { class: "reasons" }, ...reasons),
      ),
      this.line.element,
      this.recent.element,
      this.actions.element,
    );
    desk.append(this.sheet);
    /** @type {AssignmentState | null} */
    this.assignment = null;
    /** @type {number | null} */
    this.left = null;
    /** The submissions already listed. An image whose submission is undone comes back with the one before it. @type {WeakSet<object>} */
    this.listed = new WeakSet();
  }

  /** @param {string} slug @param {string} title @param {string} gist @param {string} text @param {readonly number[]} ratings */
  tier(slug, title, gist, text, ratings) {
    const head = el("h3", { id: `tier-${slug}` }, title, el("span", { class: "muted" }, gist));
    const about = el("p", { id: `about-${slug}` }, text);
    const numbers = ratings.map((rating) => this.button(`rate:${rating}`, { class: "number", "aria-describedby": about.id }, String(rating)));
    return el("section", { class: `tier tier-${slug}`, "aria-labelledby": head.id }, head, about, el("div", { class: "numbers" }, ...numbers));
  }

  /** @param {string} target @param {Record<string, string>} attributes @param {...(Node | string)} children */
  button(target, attributes, ...children) {
    const button = el("button", { type: "button", "data-target": target, "aria-pressed": "false", ...attributes }, ...children);
    this.buttons.set(target, button);
    return button;
  }

  /** @param {AssignmentState} assignment @param {HTMLImageElement} image */
  show(assignment, image) {
    this.left = this.assignment?.id ?? null;
    this.assignment = assignment;
    this.header.show(assignment);
    this.stage.show(assignment, image);
    setAttribute(this.sheet, "data-early", true);
    this.guard.expect(image, () => setAttribute(this.sheet, "data-early", null));
    if (assignment.status === "reopened") this.recent.remove(assignment.id);
  }

  /**
   * @param {State} state
   * @param {{status: Status, barred: Bar | null, locked: boolean}} how
   */
  update(state, { status, barred, locked }) {
    const { answer, before, choosing, message } = state;
    const chosen = answer.invalid ? `invalid:${answer.invalid}` : `rate:${answer.rating}`;
    for (const [target, button] of this.buttons) {
      setAttribute(button, "aria-pressed", String(target === chosen));
      setAttribute(button, "aria-disabled", locked ? "true" : null);
    }
    setAttribute(this.sheet, "data-choosing", choosing);
    if (before?.answer && this.left !== null && !this.listed.has(before)) {
      this.listed.add(before);
      this.recent.add(this.left, before.number, before.answer);
    }
    this.line.update(message);
    this.actions.update(state, status, barred);
  }

  /** Takes the focus away from the buttons, because Enter or Space would rate the next image. */
  focus() {
    if (document.activeElement instanceof HTMLElement && this.sheet.contains(document.activeElement)) document.activeElement.blur();
  }

  tabbable() {}
}

/** The shared buttons without marks: there is nothing to redo and no "no errors". */
class RatingActions extends Actions {
  constructor() {
    super();
    this.none.remove();
    this.redo.remove();
  }
}

/** @param {string} text */
function cap(text) {
  const key = keyCap(text);
  key.setAttribute("aria-hidden", "true");
  return key;
}
