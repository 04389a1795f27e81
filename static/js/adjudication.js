/**
 * Adjudication: typing selects "other", and selecting another option clears the text until "other" returns.
 * A letter takes all values of one annotator; the focused cell shows its pins.
 */

const settling = document.getElementById("settle");

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

if (settling instanceof HTMLFormElement) {
  takeAll(settling);
  showPins(settling);
}

/** Fills in all values of one annotator, by button or letter, with one step back. @param {HTMLFormElement} settle */
function takeAll(settle) {
  const said = settle.querySelector('[data-part="taken"]');
  const undo = settle.querySelector('[data-part="undo"]');
  /** @type {[HTMLInputElement, boolean, string][]} */
  let before = [];

  /** @param {string} letter */
  function take(letter) {
    const cells = [...settle.querySelectorAll("fieldset[data-cell]")];
    before = [...settle.querySelectorAll("fieldset[data-cell] input")]
      .filter((input) => input instanceof HTMLInputElement)
      .map((input) => [input, input.checked, input.value]);
    for (const cell of cells) {
      const radios = [...cell.querySelectorAll("input[type=radio]")];
      const tick = radios.find((radio) => radio instanceof HTMLInputElement && radio.dataset.letters?.includes(letter));
      if (!(tick instanceof HTMLInputElement)) continue;
      tick.checked = true;
      tick.dispatchEvent(new Event("change", { bubbles: true }));
    }
    if (said) said.textContent = `${cells.length} set to ${letter}.`;
    if (undo instanceof HTMLElement) undo.hidden = false;
  }

  undo?.addEventListener("click", () => {
    for (const [input, checked, value] of before) {
      input.checked = checked;
      if (input.type === "text") input.value = value;
    }
    if (said) said.textContent = "Undone.";
    if (undo instanceof HTMLElement) undo.hidden = true;
    const focused = settle.querySelector("fieldset[data-cell] input");
    if (focused instanceof HTMLElement) focused.focus();
  });

  const letters = new Set();
  for (const button of settle.querySelectorAll("button[data-all-of]")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    const letter = button.dataset.allOf ?? "";
    letters.add(letter);
    button.addEventListener("click", (event) => {
      event.preventDefault();
      take(letter);
    });
  }
  for (const hint of settle.querySelectorAll("[data-with-script]")) if (hint instanceof HTMLElement) hint.hidden = false;
  if (settle.dataset.singleKeys === undefined) return;
  document.addEventListener("keydown", (event) => {
    const letter = event.key.toUpperCase();
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || !letters.has(letter)) return;
    if (isTyping(event.target)) return;
    event.preventDefault();
    take(letter);
  });
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  if (target instanceof HTMLInputElement) return !["radio", "checkbox", "submit"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** @param {HTMLFormElement} settle */
function showPins(settle) {
  const pins = [...document.querySelectorAll("[data-pin]")];
  /** @param {Event} event */
  function light(event) {
    const cell = event.target instanceof Element ? event.target.closest("[data-cell]") : null;
    const key = cell instanceof HTMLElement ? cell.dataset.cell : undefined;
    for (const pin of pins) pin.classList.toggle("lit", key !== undefined && pin.getAttribute("data-pin") === key);
  }
  settle.addEventListener("focusin", light);
  settle.addEventListener("pointerover", light);
}
