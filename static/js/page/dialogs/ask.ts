// Ask a lead about the image. A question that could not be sent keeps its text, even after the dialog is closed.

import { newKey, type Reply } from "../api.ts";
import { el } from "../dom.ts";
import { said } from "../notices.ts";
import { type Content, dialogButton, textField } from "./frame.ts";
import type { Desk } from "../desk.ts";

/** Unsent questions by assignment, each with the key of its request. */
const unsent: Map<number, { text: string; key: string }> = new Map();

/** An assignment that is locked can be asked about, too. */
export function askDialog(desk: Desk, id: number): Content {
  const refuse = (why: string) => desk.dialogs.current?.refuse(why);
  const close = () => desk.dialogs.close();
  const { field, element } = textField("Your question", unsent.get(id)?.text ?? "", 5);
  const words = el("p", {}, "A lead will answer. The answer appears in your queue; other annotators do not see it.");
  let sending = false;
  field.addEventListener("input", () => void keep(id, field.value));
  const confirm = async () => {
    if (sending) return;
    sending = true;
    refuse("");
    const { text, key } = keep(id, field.value);
    const reply = await desk.tools.api.post(id, "question", { text, request_key: key });
    sending = false;
    if (reply.status === 200) {
      unsent.delete(id);
      close();
      return void (desk.session?.id === id && desk.say(said("asked")));
    }
    if (reply.status === 401) void desk.dialogs.open("sign_in");
    refuse(refusalOf(reply));
  };
  const button = dialogButton("Send question", () => void confirm(), { primary: true });
  const buttons = [dialogButton("Cancel", close), button];
  return { title: "Ask about this image", body: [words, element], buttons, confirm: () => void confirm() };
}

/** Keeps a text with the key of its request. A repeated text has the same key, so the server stores it only once. */
export function keep(id: number, text: string) {
  const known = unsent.get(id);
  const kept = known?.text === text ? known : { text, key: newKey() };
  unsent.set(id, kept);
  return kept;
}

/** The reason why a question was not sent. */
export function refusalOf({ status, body }: Reply) {
  const why = body?.errors?.text?.[0];
  if (status === 422 && typeof why === "string") return why;
  if (status === 401 || (status === 403 && body?.error === "csrf")) return "Not sent: you are signed out. Your text is kept.";
  if (status === 404) return "Not sent: this image is no longer in your queue.";
  return "Not sent: the server did not respond. Your text is kept. Send it again.";
}
