// Feedback on a training image: keys to look at a difference and to continue.

/** How long Next is disabled, so that the key press that submitted does not also leave this page. */
const PAUSE_MS = 2000;
const next = document.querySelector("[data-next]");
let waiting = true;

if (next instanceof HTMLAnchorElement) {
  next.setAttribute("aria-disabled", "true");
  next.addEventListener("click", (event) => {
    if (waiting) event.preventDefault();
  });
}
setTimeout(() => {
  waiting = false;
  next?.removeAttribute("aria-disabled");
}, PAUSE_MS);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const inside = event.target instanceof Element && event.target.closest("a, button, input, textarea");
  if (/^[1-9]$/.test(event.key)) {
    const found = document.getElementById(`difference-${event.key}`);
    if (found) {
      found.focus();
      found.scrollIntoView({ block: "nearest" });
    }
  } else if (event.key === "Enter" && !inside && !waiting && next instanceof HTMLAnchorElement) {
    location.assign(next.href);
  }
});
