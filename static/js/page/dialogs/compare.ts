// Two versions of one annotation, side by side. Nothing is overwritten until the annotator chooses one.

import { el } from "../dom.ts";
import { type Content, dialogButton } from "./frame.ts";
import type { Difference } from "../../labelling/comparison.ts";

export function compareDialog(
  { differences, submitted, keep, take, close }: { differences: Difference[]; submitted: boolean; keep: () => void; take: () => void; close: () => void },
): Content {
  const rows = differences.map((row) =>
    el("tr", {}, el("th", { scope: "row" }, row.what), el("td", {}, row.mine || "–"), el("td", {}, row.theirs || "–")),
  );
  const heads = ["Field", "My version, on this page", submitted ? "Other version, submitted" : "Other version, saved"];
  const table = el(
    "div",
    { class: "table-wrap", tabindex: 0, role: "region", "aria-label": "Differences" },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...rows),
    ),
  );
  const why = submitted
    ? "This annotation was submitted from another tab. If you keep your version, the annotation is reopened."
    : "This annotation was saved from another tab. Nothing has been overwritten; the history keeps both versions.";
  const chosen = (choice: () => void) => () => {
    close();
    choice();
  };
  const buttons = [
    dialogButton("Decide later", close),
    dialogButton("Use other version", chosen(take)),
    dialogButton("Keep my version", chosen(keep), { primary: true }),
  ];
  const body = [el("p", {}, why), rows.length ? table : el("p", {}, "Both versions are identical.")];
  return { title: "Changed elsewhere", body, buttons, wide: true };
}
