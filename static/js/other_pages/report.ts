/** On pages to read: fetch a section when it opens, open all sections or the target of a link, copy a paragraph, print. */

import "./copy_buttons.ts";

/** Opens all sections, or closes them if all are open. */
function openAll() {
  const folds = [...document.querySelectorAll<HTMLDetailsElement>("details.fold")];
  const open = folds.some((fold) => !fold.open);
  for (const fold of folds) fold.open = open;
}

document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Element)) return;
  if (target.closest("button[data-open-all]")) openAll();
  if (target.closest("button[data-print]")) window.print();
});

document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
  if (event.key.toLowerCase() !== "o" || event.repeat || typing) return;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  openAll();
});

/** Opens the sections around the target of a link. */
function unfold() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null)
    fold.open = true;
  target.scrollIntoView();
}

/** Makes htmx fetch an open section. Once it is fetched, nothing listens any more. */
function fill(fold: Element) {
  if (fold.matches("details.fold[open]")) fold.querySelector(":scope > [hx-get]")?.dispatchEvent(new Event("opened"));
}

// The event does not bubble.
document.addEventListener("toggle", ({ target }) => void (target instanceof Element && fill(target)), true);

unfold();
document.addEventListener("htmx:load", ({ target }) => {
  // A link may have opened a section before htmx listened, and its target may be in the part just loaded.
  for (const fold of document.querySelectorAll("details.fold[open]")) fill(fold);
  const linked = location.hash && document.getElementById(location.hash.slice(1));
  if (linked && target instanceof Element && target !== document.body && target.contains(linked)) unfold();
});
window.addEventListener("hashchange", unfold);
