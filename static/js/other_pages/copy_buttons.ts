/** Buttons that copy an input or a paragraph and show the outcome beside it. */

const SAID = { copied: "Copied.", "press-keys": "Press Ctrl+C (⌘C on a Mac)." };

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>("button[data-copy]") : null;
  const copied = document.getElementById(button?.dataset.copy ?? "");
  const said = button?.parentElement?.querySelector<HTMLElement>(".copied");
  if (!copied || !said) return;
  const code = (await copy(copied)) ? "copied" : "press-keys";
  // While the button has the focus, the keys would copy nothing of an input.
  if (code === "press-keys") select(copied).focus();
  said.textContent = SAID[code];
  said.dataset.code = code;
});

function select(element: HTMLElement) {
  if (element instanceof HTMLInputElement) element.select();
  else window.getSelection()?.selectAllChildren(element);
  return element;
}

async function copy(element: HTMLElement) {
  select(element);
  try {
    await navigator.clipboard.writeText(element instanceof HTMLInputElement ? element.value : (element.textContent ?? ""));
    return true;
  } catch {
    // The clipboard needs HTTPS. Without it, copy the selection.
    return document.execCommand("copy");
  }
}
