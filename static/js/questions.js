/** The leads' list of questions: shows when an answer could not be sent. Its text stays in the field. */

for (const failure of ["htmx:sendError", "htmx:timeout", "htmx:responseError"])
  document.addEventListener(failure, ({ target }) => tell(target, true));
document.addEventListener("htmx:beforeRequest", ({ target }) => tell(target, false));

/** @param {EventTarget | null} target @param {boolean} failed */
function tell(target, failed) {
  const form = target instanceof Element ? (target.matches("form") ? target : target.querySelector("form")) : null;
  const line = /** @type {HTMLElement | null} */ (form?.querySelector('[data-part="failed"]') ?? null);
  if (line) line.hidden = !failed;
}
