// The dialogs for the note, and for flagging or skipping.

import { flagTitle, words } from "../../labelling/project_words.ts";
import { el, keyCap } from "../dom.ts";
import { type Content, dialogButton, textField } from "./frame.ts";
import type { Remarks } from "../../labelling/remarks.ts";
import type { Desk } from "../desk.ts";

export function noteDialog(desk: Desk, answer: Remarks): Content {
  const { field, element } = textField("What should the team know about this image?", answer.note, 5);
  const confirm = () => attempt(desk, { type: "note", note: field.value });
  const buttons = [dialogButton("Cancel", () => desk.dialogs.close()), dialogButton("Save note", confirm, { primary: true })];
  return { title: "Note", body: [element], buttons, confirm };
}

/** Ticks of tags are kept at once; they need no reason and do not flag the image. */
export function flagDialog(desk: Desk, answer: Remarks): Content {
  const radios = words.reasons.map(({ code }) =>
    el("input", { type: "radio", name: "reason", value: code, id: `reason-${code}`, checked: answer.flag?.reason === code }),
  );
  const boxes = words.tags.map(({ number }) =>
    el("input", { type: "checkbox", id: `tag-${number}`, value: String(number), checked: answer.tags.includes(number) }),
  );
  const choices = [...radios, ...boxes];
  const labels = [...words.reasons, ...words.tags].map(({ title }, position) => {
    const choice = choices[position] as HTMLInputElement;
    return el("label", { class: "choice", for: choice.id }, choice, title, keyCap(String(position + 1)));
  });
  const { field, element } = textField("Note (optional)", answer.flag?.note ?? "", 3);
  const given = () => ({ reason: radios.find((radio) => radio.checked)?.value ?? "", note: field.value });
  let ticked = false;
  for (const box of boxes)
    box.addEventListener("change", () => {
      ticked = true;
      desk.act({ type: "tag", tag: Number(box.value), on: box.checked });
    });
  const confirm = () => (ticked && !given().reason ? desk.dialogs.close() : attempt(desk, { type: "flag", ...given() }));
  const buttons = [
    dialogButton(boxes.length ? "Close" : "Cancel", () => desk.dialogs.close()),
    ...(answer.flag ? [dialogButton("Remove flag", () => attempt(desk, { type: "unflag" }))] : []),
    dialogButton("Skip image", () => attempt(desk, { type: "skip", ...given() })),
    dialogButton("Flag and keep annotating", confirm, { primary: true }),
  ];
  const reasons = el("fieldset", { class: "choices" }, el("legend", {}, "Reason"), ...labels.slice(0, radios.length));
  const tags = el("fieldset", { class: "choices" }, el("legend", {}, "Tags (kept at once, without a flag)"), ...labels.slice(radios.length));
  const choose = (place: number) => {
    const choice = choices[place - 1];
    if (choice?.type === "checkbox") choice.click();
    else if (choice) choice.checked = true;
    choice?.focus();
  };
  return { title: flagTitle(), body: [reasons, ...(boxes.length ? [tags] : []), element], buttons, confirm, choose };
}

/** Carries out an action, and closes the dialog unless it is refused. */
function attempt(desk: Desk, action: any) {
  const before = desk.session?.state.message;
  const said = desk.act(action);
  // A message from before the dialog opened is not its refusal.
  if (said && said !== before && said.kind === "stop") desk.dialogs.current?.refuse(said.text);
  else desk.dialogs.close();
}
