// The row of buttons below the form.

import { flagLabel, tagNames } from "../../labelling/project_words.ts";
import { el, keyHint, setAttribute, setClass, setText, targetButton } from "../dom.ts";
import { type Bar, isClosed, type Status } from "../server_types.ts";
import type { PageState } from "../protocol_kit.ts";

export class Actions {
  readonly none = button("none", "No errors", "0");
  readonly flag = button("flag", flagLabel(), "S");
  readonly note = button("note", "Note", "N");
  readonly undo = button("undo", "Undo", "Ctrl Z");
  readonly redo = targetButton("redo", "button quiet", { title: "Redo (Ctrl Y)" }, "Redo");
  readonly reopen = targetButton("reopen", "button", { hidden: true }, "Reopen to correct");
  words = el("span", {}, "Submit and next");
  readonly submit = targetButton("submit", "button primary", { id: "submit-next" }, this.words, keyHint("Ctrl ↵"));
  readonly element = el(
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

  update({ answer, future, message }: PageState, status: Status, barred: Bar | null) {
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
    // Locked, it is the whole answer of an image without errors.
    this.none.hidden = closed && !answer.noErrors;
    this.none.disabled = closed;
    for (const each of [this.flag, this.note, this.undo, this.redo]) each.hidden = closed;
    setAttribute(this.redo, "aria-disabled", future.length ? null : "true");
    this.reopen.hidden = barred !== null || !closed;
    setText(this.reopen, status === "skipped" ? "Resume" : "Reopen to correct");
    setText(this.words, closed ? "Next image" : "Submit and next");
  }
}

const button = (target: string, words: string, key: string) => targetButton(target, "button", {}, words, keyHint(key));
