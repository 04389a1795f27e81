// The guideline dialog: everything that the project says about one cell.

import { type Cell, titled } from "../../labelling/taxonomy.ts";
import { el } from "../dom.ts";
import { type Content, dialogButton } from "./frame.ts";
import type { Desk } from "../desk.ts";
import type { OwnGuideline } from "../project_guideline.ts";

export function guidelineDialog(own: OwnGuideline, cell: Readonly<Cell>, { config, dialogs }: Desk): Content {
  const texts = [cell.type, cell.part].map((name) =>
    el("p", {}, el("b", {}, `${titled(name)}: `), own.text(name) ?? config.definitions[name] ?? ""),
  );
  const decided = own.decisionsOf(cell).map((text) => el("li", {}, text));
  const examples = own.examplesOf(cell).map((example) =>
    el("figure", {}, own.imageOf(example), el("figcaption", {}, el("b", {}, example.alt), ` ${example.caption}`)),
  );
  const body = [
    ...texts,
    ...(decided.length ? [el("h3", {}, "Decisions"), el("ul", { class: "decided" }, ...decided)] : []),
    ...(examples.length ? [el("div", { class: "own-examples" }, ...examples)] : []),
    el("p", {}, el("a", { href: config.urls.guide, target: "_blank" }, `Guideline, version ${own.told.version}`)),
  ];
  const done = dialogButton("Close", () => dialogs.close(), { primary: true });
  done.autofocus = true;
  return { title: cell.title, body, buttons: [done], wide: examples.length > 0 };
}
