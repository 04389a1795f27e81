// Feedback on a training image: keys to look at a difference and to go on.

/** How long Enter is ignored, so that the key that submitted does not also leave this page. */
const PAUSE_MS = 2000;
const openedAt = performance.now();

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const inside = event.target instanceof Element && event.target.closest("a, button, input, textarea");
  if (/^[1-9]$/.test(event.key)) {
    const found = document.getElementById(`difference-${event.key}`);
    if (found) {
      found.focus();
      found.scrollIntoView({ block: "nearest" });
    }
  } else if (event.key === "Enter" && !inside && performance.now() - openedAt > PAUSE_MS) {
    const next = document.querySelector("[data-next]");
    if (next instanceof HTMLAnchorElement) location.assign(next.href);
  }
});
