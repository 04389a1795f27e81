// The row of buttons below the form.

import { flagLabel, tagNames } from "../../labelling/project_words.js";
import { el, keyCap, setAttribute, setClass, setText } from "../dom.js";
import { isClosed } from "../server_types.js";

/** @import { PageState } from "../protocol_kit.js" */
/** @import { Bar, Status } from "../server_types.js" */

export class Actions {
  constructor() {
    this.none = button("none", "No errors", "0");
    this.flag = button("flag", flagLabel(), "S");
    this.note = button("note", "Note", "N");
    this.undo = button("undo", "Undo", "Ctrl Z");
    this.redo = el("button", { type: "button", class: "button quiet", "data-target": "redo", title: "Redo (Ctrl Y)" }, "Redo");
    this.reopen = el("button", { type: "button", class: "button", "data-target": "reopen", hidden: true }, "Reopen to correct");
    this.words = el("span", {}, "Submit and next");
    this.submit = el("button", { type: "button", class: "button primary", id: "submit-next", "data-target": "submit" }, this.words, keyCap("Ctrl ↵"));
    this.element = el(
      "div",
      { class: "actions", role: "group", "aria-label": "Actions for this image" },
      this.none,
      this.flag,
      this.note,
      this.undo,
      this.redo,
      this.reopen,
      el("span", { class: "spread" }),
      this.submit,
    );
    for (const cap of this.element.querySelectorAll("kbd")) cap.setAttribute("aria-hidden", "true");
  }

  /**
   * @param {PageState} state
   * @param {Status} status
   * @param {Bar | null} barred
   */
  update({ answer, future, message }, status, barred) {
    // The Undo in the message line is enough, and there is nothing to redo. The space is kept, so that nothing moves.
    const offered = message.offers.some(({ action }) => action.type === "undo");
    for (const each of [this.undo, this.redo]) setClass(each, "spare", offered);
    const closed = barred !== null || isClosed(status);
    setAttribute(this.none, "aria-pressed", String(answer.noErrors));
    const remarks = [...(answer.flag ? ["flagged"] : []), ...tagNames(answer.tags)];
    setClass(this.flag, "filled", remarks.length > 0);
    setAttribute(this.flag, "aria-label", remarks.length ? `${flagLabel()}: ${remarks.join(", ")}` : null);
    setClass(this.note, "filled", answer.note !== "");
    setAttribute(this.note, "aria-label", answer.note ? "Note: written" : null);
    for (const each of [this.none, this.flag, this.note, this.undo]) each.hidden = closed;
    this.redo.hidden = closed;
    setAttribute(this.redo, "aria-disabled", future.length ? null : "true");
    this.reopen.hidden = barred !== null || !closed;
    setText(this.reopen, status === "skipped" ? "Resume" : "Reopen to correct");
    setText(this.words, closed ? "Next image" : "Submit and next");
  }
}

/** @param {string} target @param {string} words @param {string} key */
const button = (target, words, key) =>
  el("button", { type: "button", class: "button", "data-target": target }, words, keyCap(key));
