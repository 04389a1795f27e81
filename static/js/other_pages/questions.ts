/** The leads' list of questions: shows when an answer could not be sent. Its text stays in the field. */

for (const failure of ["htmx:sendError", "htmx:timeout", "htmx:responseError"])
  document.addEventListener(failure, ({ target }) => tell(target, true));
document.addEventListener("htmx:beforeRequest", ({ target }) => tell(target, false));

function tell(target: EventTarget | null, failed: boolean) {
  const form = target instanceof Element ? (target.matches("form") ? target : target.querySelector("form")) : null;
  const line = (form?.querySelector('[data-part="failed"]') ?? null) as HTMLElement | null;
  if (line) line.hidden = !failed;
}
