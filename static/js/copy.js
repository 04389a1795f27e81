/** A button that copies the value of an input. */

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!(button instanceof HTMLButtonElement)) continue;
  const input = document.getElementById(button.dataset.copy ?? "");
  if (!(input instanceof HTMLInputElement)) continue;
  const said = document.getElementById("copied");
  button.hidden = false;
  button.addEventListener("click", async () => {
    input.select();
    const copied = await copy(input.value);
    if (said) said.textContent = copied ? "Copied." : "Selected: copy it with the keyboard.";
  });
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard needs HTTPS: fall back to copying the selection.
    return document.execCommand("copy");
  }
}
