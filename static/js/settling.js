/**
 * Settling an image without a word too many: who types means "other", who ticks something else means that.
 * What was typed comes back with "other". The page works without.
 */

for (const place of document.querySelectorAll("#settle .other")) {
  const tick = place.querySelector("input[type=radio]");
  const text = place.querySelector("input[type=text]");
  if (!(tick instanceof HTMLInputElement) || !(text instanceof HTMLInputElement)) {
    continue;
  }
  // Who was quicker than this script has typed already.
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
