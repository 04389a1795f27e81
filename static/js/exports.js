/** The address of the chosen export for notebooks follows the choice; without script it is the proposed one. */

const shown = document.getElementById("export-url");
const form = document.querySelector("form.export");
// Workers make the other formats: an address would be refused.
const AT_ONCE = ["csv", "jsonl"];

if (shown instanceof HTMLElement && form instanceof HTMLFormElement) {
  const show = () => {
    const said = new FormData(form);
    const format = String(said.get("format"));
    const ending = AT_ONCE.includes(format) ? format : "csv";
    shown.textContent = `${shown.dataset.root}${said.get("layout")}.${ending}${shown.dataset.protocol ?? ""}`;
  };
  form.addEventListener("change", show);
  // A browser that goes back fills the form in as it was left.
  window.addEventListener("pageshow", show);
}
