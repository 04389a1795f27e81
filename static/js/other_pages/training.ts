// Feedback on a training image: keys to look at a difference, ask a lead, read the guideline and continue.

import { setAttribute } from "../page/dom.ts";

/** How long Next is disabled, so that the key press that submitted the annotation does not also leave this page. */
const PAUSE_MS = 2000;
const next = document.querySelector<HTMLAnchorElement>("a[data-next]");
const offline = document.querySelector<HTMLElement>("[data-offline]");
let waiting = true;
const isClosed = () => waiting || !navigator.onLine;

next?.addEventListener("click", (event) => isClosed() && event.preventDefault());
show();
light("1");
setTimeout(() => {
  waiting = false;
  show();
}, PAUSE_MS);
window.addEventListener("online", show);
window.addEventListener("offline", show);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const inside = event.target instanceof Element && event.target.closest("a, button, input, textarea");
  const link = document.querySelector<HTMLAnchorElement>(`a[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (/^[1-9]$/.test(event.key)) document.getElementById(`difference-${event.key}`)?.focus();
  else if (link) link.click();
  else if (event.key === "Enter" && !inside && !isClosed()) next?.click();
});

document.addEventListener("focusin", ({ target }) => {
  const row = target instanceof Element && target.closest<HTMLElement>("[data-difference]");
  if (!row) return;
  light(row.dataset.difference ?? "");
  row.scrollIntoView({ block: "nearest" });
});

/** Highlights one difference: its row and its pins. */
function light(number: string) {
  for (const each of document.querySelectorAll("[data-difference]"))
    each.classList.toggle("lit", each.getAttribute("data-difference") === number);
}

function show() {
  if (next) setAttribute(next, "aria-disabled", isClosed() ? "true" : null);
  if (offline) offline.hidden = navigator.onLine;
}
