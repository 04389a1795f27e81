/**
 * `J` and `K` move between the rows of a list marked `data-rows`. Enter opens the focused row or button, Escape closes
 * it, and `E` asks for the reason for resolving the row.
 */

const links = () => [...document.querySelectorAll("[data-rows] > li > .button, [data-rows] details[name] > summary")].filter(isShown);

for (const hint of document.querySelectorAll("[data-with-rows]")) hint.removeAttribute("hidden");

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
  if (event.key.toLowerCase() === "e") return resolve(event);
  const step = { j: 1, k: -1 }[event.key.toLowerCase()];
  if (step === undefined) return;
  const rows = links();
  const here = rows.findIndex((link) => link === document.activeElement);
  const next = rows[here < 0 ? 0 : Math.min(Math.max(here + step, 0), rows.length - 1)];
  if (next instanceof HTMLElement) next.focus();
});

function resolve(event: KeyboardEvent) {
  const row = document.activeElement?.closest("[data-rows] > li");
  const form = row?.querySelector("details.resolve");
  if (!(form instanceof HTMLDetailsElement)) return;
  event.preventDefault();
  form.open = true;
  focus(form, "input[name=reason]");
}

document.addEventListener("keydown", (event) => {
  const form = event.key === "Escape" && document.activeElement?.closest("details.resolve[open], [data-rows] details[name][open]");
  if (!(form instanceof HTMLDetailsElement)) return;
  form.open = false;
  focus(form, "summary");
});

function focus(within: Element, selector: string) {
  const found = within.querySelector(selector);
  if (found instanceof HTMLElement) found.focus();
}

function isShown(link: Element) {
  return link.getClientRects().length > 0;
}

function isTyping(target: EventTarget | null) {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
