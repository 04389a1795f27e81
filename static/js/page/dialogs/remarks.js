// The dialogs for the note, for flagging or skipping, and for reopening.

import { FLAG_REASONS } from "../../labelling/taxonomy.js";
import { el, keyCap } from "../dom.js";
import { dialogButton, textField } from "./frame.js";

/** @import { Remarks } from "../protocol_kit.js" */
/** @import { Content } from "./frame.js" */

const LONGEST_REASON = 400;

/**
 * `act` returns the refusal, or null.
 * @typedef {{answer: Remarks, act: (action: any) => string | null, close: () => void, refuse: (text: string) => void}} Host
 */

/** @param {Host} host @returns {Content} */
export function noteDialog({ answer, act, close, refuse }) {
  const { field, element } = textField("What should the team know about this image?", answer.note, 5);
  const confirm = () => {
    const refusal = act({ type: "note", note: field.value });
    if (refusal) refuse(refusal);
    else close();
  };
  const buttons = [dialogButton("Cancel", close), dialogButton("Save note", confirm, { primary: true })];
  return { title: "Note", body: [element], buttons, confirm };
}

/** @param {Host} host @returns {Content} */
export function flagDialog({ answer, act, close, refuse }) {
  const radios = FLAG_REASONS.map(({ code }) =>
    el("input", { type: "radio", name: "reason", value: code, id: `reason-${code}`, checked: answer.flag?.reason === code }),
  );
  const reasons = FLAG_REASONS.map(({ code, title }, position) =>
    el("label", { class: "choice", for: `reason-${code}` }, /** @type {HTMLElement} */ (radios[position]), title, keyCap(String(position + 1))),
  );
  const { field, element } = textField("Note (optional)", answer.flag?.note ?? "", 3);
  const given = () => ({ reason: radios.find((radio) => radio.checked)?.value ?? "", note: field.value });
  /** @param {any} action */
  const attempt = (action) => {
    const refusal = act(action);
    if (refusal) refuse(refusal);
    else close();
  };
  const confirm = () => attempt({ type: "flag", ...given() });
  const buttons = [
    dialogButton("Cancel", close),
    ...(answer.flag ? [dialogButton("Remove flag", () => attempt({ type: "unflag" }))] : []),
    dialogButton("Skip image", () => attempt({ type: "skip", ...given() })),
    dialogButton("Flag and keep annotating", confirm, { primary: true }),
  ];
  const legend = el("legend", {}, "Reason");
  const body = [el("fieldset", { class: "choices" }, legend, ...reasons), element];
  const choose = (/** @type {string} */ code) => {
    const radio = radios.find(({ value }) => value === code);
    if (radio) radio.checked = true;
    radio?.focus();
  };
  return { title: "Flag or skip", body, buttons, confirm, choose };
}

/** @param {{reopen: (reason: string) => void, close: () => void}} host @returns {Content} */
export function reopenDialog({ reopen, close }) {
  const { field, element } = textField("What needs correcting? (optional)", "", 2);
  field.maxLength = LONGEST_REASON;
  const confirm = () => {
    close();
    reopen(field.value.trim());
  };
  const buttons = [dialogButton("Cancel", close), dialogButton("Reopen annotation", confirm, { primary: true })];
  return { title: "Reopen to correct", body: [element], buttons, confirm };
}
