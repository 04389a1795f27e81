/** A button that copies what stands in an input; without script the input can be copied by hand. */

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!(button instanceof HTMLButtonElement)) continue;
  const input = document.getElementById(button.dataset.copy ?? "");
  if (!(input instanceof HTMLInputElement)) continue;
  const said = document.getElementById("copied");
  button.hidden = false;
  button.addEventListener("click", async () => {
    input.select();
    const copied = await copy(input.value);
    if (said) said.textContent = copied ? "Copied." : "Marked: copy it with the keyboard.";
  });
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard without HTTPS: the old way works on what is selected.
    return document.execCommand("copy");
  }
}
