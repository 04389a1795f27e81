/**
 * `J` and `K` move between the rows of a list marked `data-rows`. Enter opens the focused row or button, Escape closes
 * it, and `E` asks for the reason for resolving the row.
 */

import { isText } from "../page/input/keyboard.ts";

const LINKS = "[data-rows] > li > .button, [data-rows] details[name] > summary";

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") return close();
  if (event.altKey || event.ctrlKey || event.metaKey || isText(event.target)) return;
  if (event.key.toLowerCase() === "e") return resolve(event);
  const step = { j: 1, k: -1 }[event.key.toLowerCase()];
  if (step === undefined) return;
  const rows = [...document.querySelectorAll<HTMLElement>(LINKS)].filter((link) => link.getClientRects().length > 0);
  const here = rows.findIndex((link) => link === document.activeElement);
  rows[here < 0 ? 0 : Math.min(Math.max(here + step, 0), rows.length - 1)]?.focus();
});

function resolve(event: KeyboardEvent) {
  const row = document.activeElement?.closest("[data-rows] > li");
  const form = row?.querySelector<HTMLDetailsElement>("details.resolve");
  if (!form) return;
  event.preventDefault();
  form.open = true;
  form.querySelector<HTMLElement>("input[name=reason]")?.focus();
}

function close() {
  const form = document.activeElement?.closest<HTMLDetailsElement>("details.resolve[open], [data-rows] details[name][open]");
  if (form) form.open = false;
  form?.querySelector("summary")?.focus();
}
