/** The builder of rating forms: Alt and an arrow move the open question, Enter in a field submits nothing. */

const WAYS = { ArrowUp: "up", ArrowDown: "down" } as Record<string, string>;
const form = document.getElementById("builder") as HTMLFormElement | null;

form?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
  const way = event.altKey && !(event.target instanceof HTMLSelectElement) ? WAYS[event.key] : undefined;
  if (!way) return;
  event.preventDefault();
  form.querySelector<HTMLButtonElement>(`.question.open [value^="${way} "]`)?.click();
});
// Another kind has other fields.
form?.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLSelectElement && target.name.endsWith("-kind")) form.requestSubmit();
});
