/** Buttons that copy the value of an input and show the outcome beside it. */

const SAID = { copied: "Copied.", "press-keys": "Press Ctrl+C (⌘C on a Mac)." };

for (const button of document.querySelectorAll<HTMLElement>("button[data-copy]")) {
  const input = document.getElementById(button.dataset.copy ?? "");
  if (!(input instanceof HTMLInputElement)) continue;
  const said = button.parentElement?.querySelector<HTMLElement>(".copied");
  button.hidden = false;
  button.addEventListener("click", async () => {
    input.select();
    const code = (await copy(input.value)) ? "copied" : "press-keys";
    if (code === "press-keys") {
      // While the button has the focus, the keys would copy nothing.
      input.focus();
      input.select();
    }
    if (!said) return;
    said.textContent = SAID[code];
    said.dataset.code = code;
  });
}

async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard needs HTTPS. Without it, copy the selection.
    return document.execCommand("copy");
  }
}
