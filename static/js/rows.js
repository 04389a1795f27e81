/** `J` and `K` move between the rows of the lists marked `data-rows`; Enter opens the focused button. */

const links = () => [...document.querySelectorAll("[data-rows] > li .button")].filter(isShown);

for (const hint of document.querySelectorAll("[data-with-rows]")) hint.removeAttribute("hidden");

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
  const step = { j: 1, k: -1 }[event.key.toLowerCase()];
  if (step === undefined) return;
  const rows = links();
  const here = rows.findIndex((link) => link === document.activeElement);
  const next = rows[here < 0 ? 0 : Math.min(Math.max(here + step, 0), rows.length - 1)];
  if (next instanceof HTMLElement) next.focus();
});

/** @param {Element} link */
function isShown(link) {
  return link.getClientRects().length > 0;
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
