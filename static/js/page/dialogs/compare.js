// Two versions of one answer side by side; nothing is overwritten until somebody chooses.

import { el } from "../dom.js";
import { dialogButton } from "./frame.js";

/** @import { Difference } from "../../labelling/comparison.js" */
/** @import { Content } from "./frame.js" */

/**
 * @param {{differences: Difference[], submitted: boolean, keep: () => void, take: () => void, close: () => void}} host
 * @returns {Content}
 */
export function compareDialog({ differences, submitted, keep, take, close }) {
  const rows = differences.map((row) =>
    el("tr", {}, el("th", { scope: "row" }, row.what), el("td", {}, row.mine || "–"), el("td", {}, row.theirs || "–")),
  );
  const heads = ["Differs", "Mine, on this page", submitted ? "Theirs, submitted" : "Theirs, saved elsewhere"];
  const table = el(
    "div",
    { class: "table-wrap", tabindex: 0, role: "region", "aria-label": "What differs" },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...rows),
    ),
  );
  const why = submitted
    ? "This image was submitted from another window since. Keeping yours reopens it."
    : "This image was saved from another window since. Nothing was overwritten; both stay in the log.";
  /** @param {() => void} choice */
  const chosen = (choice) => () => {
    close();
    choice();
  };
  const buttons = [
    dialogButton("Decide later", close),
    dialogButton("Take theirs", chosen(take)),
    dialogButton("Keep mine", chosen(keep), { primary: true }),
  ];
  const body = [el("p", {}, why), rows.length ? table : el("p", {}, "Both say the same.")];
  return { title: "Changed elsewhere", body, buttons, wide: true };
}
