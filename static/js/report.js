/** On report pages: copy a paragraph, and open the folded target of a link. */

function show() {
  for (const button of document.querySelectorAll("button[data-copy-text]"))
    if (button instanceof HTMLButtonElement) button.hidden = false;
}

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest("button[data-copy-text]") : null;
  if (!(button instanceof HTMLButtonElement)) return;
  const text = document.getElementById(button.dataset.copyText ?? "");
  const said = document.getElementById(button.dataset.copySaid ?? "");
  if (!text) return;
  const copied = await copy(text);
  if (said) said.textContent = copied ? "Copied." : "Selected: copy it with the keyboard.";
});

/** @param {HTMLElement} text */
async function copy(text) {
  window.getSelection()?.selectAllChildren(text);
  try {
    await navigator.clipboard.writeText(text.textContent ?? "");
    return true;
  } catch {
    // The clipboard needs HTTPS: fall back to copying the selection.
    return document.execCommand("copy");
  }
}

/** Opens a folded table that is the target of a link. */
function unfold() {
  const folded = location.hash && document.getElementById(location.hash.slice(1))?.querySelector("details");
  if (folded) folded.open = true;
}

show();
unfold();
document.addEventListener("htmx:load", show);
window.addEventListener("hashchange", unfold);
