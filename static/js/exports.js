/** Keeps the export address for notebooks up to date. Without JavaScript, it shows the default. */

const shown = document.getElementById("export-url");
const form = document.querySelector("form.export");
// The other formats need a worker, so they have no address.
const AT_ONCE = ["csv", "jsonl"];

if (shown instanceof HTMLElement && form instanceof HTMLFormElement) {
  const show = () => {
    const said = new FormData(form);
    const format = String(said.get("format"));
    const ending = AT_ONCE.includes(format) ? format : "csv";
    const asked = new URLSearchParams(shown.dataset.protocol ?? "");
    if (said.get("header") === "tidy") asked.set("header", "tidy");
    const query = asked.toString();
    shown.textContent = `${shown.dataset.root}${said.get("layout")}.${ending}${query && `?${query}`}`;
  };
  form.addEventListener("change", show);
  // Browsers restore the form when the user goes back.
  window.addEventListener("pageshow", show);
}
