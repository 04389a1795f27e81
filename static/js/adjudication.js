/** Adjudication: typing selects "other", and selecting another option clears the text until "other" returns. */

for (const place of document.querySelectorAll("#settle .other")) {
  const tick = place.querySelector("input[type=radio]");
  const text = place.querySelector("input[type=text]");
  if (!(tick instanceof HTMLInputElement) || !(text instanceof HTMLInputElement)) {
    continue;
  }
  // The user may have typed before this script loaded.
  tick.checked = tick.checked || (text.value.trim() !== "" && text.value !== text.defaultValue);
  let kept = text.value;
  text.addEventListener("input", () => {
    kept = text.value;
    tick.checked = tick.checked || text.value.trim() !== "";
  });
  place.closest("fieldset")?.addEventListener("change", (event) => {
    if (event.target instanceof HTMLInputElement && event.target.type === "radio") {
      text.value = event.target === tick ? kept : "";
    }
  });
}
