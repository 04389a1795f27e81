// The dialog on an annotation that was changed in another tab or on another device.

import { el } from "../dom.ts";
import * as notices from "../notices.ts";
import { keepMine, takeTheirs } from "../saving/conflicts.ts";
import { isClosed } from "../server_types.ts";
import { type Content, dialogButton } from "./frame.ts";
import type { Desk } from "../desk.ts";
import type { Session } from "../sessions/image_session.ts";

/** This page's version and the stored one, side by side. Nothing is overwritten until the annotator chooses one. */
export function conflictDialog(desk: Desk, session: Session): Content | undefined {
  const { theirs } = session.draft;
  if (!theirs) return undefined;
  const submitted = isClosed(theirs.status);
  const differences = session.rules.differences(session.state.answer, session.rules.fromPayload(theirs.payload));
  const rows = differences.map((row) =>
    el("tr", {}, el("th", { scope: "row" }, row.what), el("td", {}, row.mine || "–"), el("td", {}, row.theirs || "–")),
  );
  const titles = ["Field", "My version, this page", submitted ? "Other version, submitted" : "Other version, saved"];
  const heads = el("thead", {}, el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title))));
  const table = el(
    "div",
    { class: "table-wrap", tabindex: 0, role: "region", "aria-label": "Differences" },
    el("table", {}, heads, el("tbody", {}, ...rows)),
  );
  const why = submitted
    ? "This annotation was submitted from another tab. Keeping your version reopens it."
    : "This annotation was saved from another tab. The history keeps both versions.";
  const use = () => {
    desk.dialogs.close();
    session.act({ type: "take", payload: takeTheirs(session.saver) });
    if (session.draft.closed) desk.say(notices.closedNotice(session.draft.status));
    desk.draw();
  };
  const keep = () => {
    desk.dialogs.close();
    void keepMine(session.saver).then(() => desk.say(session.resting));
  };
  const buttons = [
    dialogButton("Decide later", () => desk.dialogs.close()),
    dialogButton("Use other version", use),
    dialogButton("Keep my version", keep, { primary: true }),
  ];
  const body = [el("p", {}, why), rows.length ? table : el("p", {}, "The versions are identical.")];
  return { title: "Changed elsewhere", body, buttons, wide: true };
}
