/**
 * Adjudication. Typing selects "other"; selecting another option hides the text until "other" is selected again.
 * Choosing a value ticks the causes proposed for it, until the user changes them. Keys move between cells, take the
 * value of an annotator, tick causes and save. The focused cell shows its pins and the dots of its body part.
 */

import { isText } from "../page/input/keyboard.ts";

const adjudicating = document.querySelector<HTMLFormElement>("form#adjudicate");

for (const place of document.querySelectorAll("#adjudicate .other")) {
  const tick = place.querySelector<HTMLInputElement>("input[type=radio]");
  const text = place.querySelector<HTMLInputElement>("input[type=text]");
  if (!tick || !text) continue;
  // The user may have typed before this script loaded.
  tick.checked = tick.checked || (text.value.trim() !== "" && text.value !== text.defaultValue);
  let kept = text.value;
  text.addEventListener("input", () => {
    kept = text.value;
    tick.checked = tick.checked || text.value.trim() !== "";
  });
  place.closest("fieldset")?.addEventListener("change", (event) => {
    if (event.target instanceof HTMLInputElement && event.target.type === "radio")
      text.value = event.target === tick ? kept : "";
  });
}

if (adjudicating) {
  for (const only of adjudicating.querySelectorAll<HTMLElement>("[data-without-script]")) only.hidden = true;
  const cells = [...adjudicating.querySelectorAll("fieldset[data-cell]")];
  for (const cell of cells) {
    proposeCauses(cell);
    cell.addEventListener("change", () => clearError(cell));
  }
  showPins(adjudicating);
  listen(adjudicating, cells, takeAll(adjudicating, cells));
}

/** Ticks the causes proposed for the value of a cell, now and whenever it changes, until the user changes them. */
function proposeCauses(cell: Element) {
  const causes = cell.querySelector<HTMLElement>("[data-causes]");
  if (!causes) return;
  const boxes = [...causes.querySelectorAll<HTMLInputElement>("input[data-cause]")];
  const { ifMarked = "", ifEmpty = "", byHandName = "" } = causes.dataset;
  const line = causes.querySelector('[data-part="cause"]');

  function say() {
    const ticked = boxes.filter((box) => box.checked).map((box) => box.nextElementSibling?.firstChild?.textContent?.trim().toLowerCase());
    if (line) line.textContent = `Cause: ${ticked.join(", ") || "follows the value"}`;
  }

  function propose() {
    if (causes?.querySelector(`input[name="${byHandName}"]`)) return;
    const chosen = cell.querySelector<HTMLInputElement>("input[type=radio]:checked");
    if (!chosen) return;
    const slugs = (chosen.value === "=" ? ifEmpty : ifMarked).split(" ");
    for (const box of boxes) box.checked = slugs.includes(box.dataset.cause ?? "");
    say();
  }

  cell.addEventListener("change", (event) => {
    if (!(event.target instanceof HTMLInputElement)) return;
    if (event.target.type !== "checkbox") return propose();
    say();
    if (causes.querySelector(`input[name="${byHandName}"]`)) return;
    const changed = document.createElement("input");
    Object.assign(changed, { type: "hidden", name: byHandName, value: "1" });
    causes.append(changed);
  });
  cell.addEventListener("input", (event) => {
    // A checkbox reports its click as "input" and then as "change": proposing in between would undo it.
    if (event.target instanceof HTMLInputElement && event.target.type !== "checkbox") propose();
  });
  propose();
  say();
}

/** Clears the error of a cell whose value has changed, and with the last of them the notice above the form. */
function clearError(cell: Element) {
  if (!cell.classList.contains("wrong")) return;
  cell.classList.remove("wrong");
  cell.querySelector(`[id="${cell.id}-error"]`)?.remove();
  for (const named of [cell, ...cell.querySelectorAll("[aria-invalid]")]) {
    named.removeAttribute("aria-invalid");
    named.removeAttribute("aria-describedby");
  }
  if (!document.querySelector("#adjudicate .wrong, #adjudicate [aria-invalid]")) document.getElementById("faults")?.remove();
}

/**
 * Lets the user take all values of one annotator, and undo it once. Returns a function that takes those of some cells.
 */
function takeAll(form: HTMLFormElement, all: Element[]) {
  const said = form.querySelector('[data-part="taken"]');
  const undo = form.querySelector<HTMLElement>('[data-part="undo"]');
  let before: [HTMLInputElement, boolean, string][] = [];

  function take(letter: string, cells: Element[]) {
    before = cells
      .flatMap((cell) => [...cell.querySelectorAll("input")])
      .map((input) => [input, input.checked, input.value]);
    for (const cell of cells) {
      const radios = [...cell.querySelectorAll<HTMLInputElement>("input[type=radio]")];
      const tick = radios.find((radio) => radio.dataset.letters?.includes(letter));
      if (tick) choose(tick);
    }
    const one = cells.length === 1 ? cells[0]?.querySelector("legend")?.textContent : `${cells.length} cells`;
    if (said) said.textContent = `${one} set to ${letter}.`;
    if (undo) undo.hidden = false;
  }

  undo?.addEventListener("click", () => {
    for (const [input, checked, value] of before) {
      input.checked = checked;
      if (input.type === "text") input.value = value;
    }
    if (said) said.textContent = "Undone.";
    undo.hidden = true;
    form.querySelector<HTMLElement>("fieldset[data-cell] input")?.focus();
  });

  for (const button of form.querySelectorAll<HTMLElement>("button[data-all-of]"))
    button.addEventListener("click", (event) => {
      event.preventDefault();
      take(button.dataset.allOf ?? "", all);
    });
  return take;
}

function choose(tick: HTMLInputElement, on = true) {
  tick.checked = on;
  tick.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Listens to the keys. Single letters and digits work only if the user has not turned them off. */
function listen(form: HTMLFormElement, cells: Element[], take: (letter: string, cells: Element[]) => void) {
  const letters = new Set([...form.querySelectorAll("[data-all-of]")].map((one) => one.getAttribute("data-all-of") ?? ""));

  const current = () => Math.max(0, cells.findIndex((cell) => cell.contains(document.activeElement)));

  function go(place: number) {
    const cell = cells[Math.min(cells.length - 1, Math.max(0, place))];
    const radios = [...(cell?.querySelectorAll<HTMLInputElement>("input[type=radio]") ?? [])];
    const radio = radios.find(({ checked }) => checked) ?? radios[0];
    if (!radio) return;
    radio.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: "nearest" });
  }

  function act(key: string) {
    const place = current();
    const cell = cells[place];
    const inside = cell?.contains(document.activeElement);
    if (key === "?") {
      form.querySelector('[data-part="keys"]')?.toggleAttribute("open");
    } else if (!cell) {
      return false;
    } else if (letters.has(key)) {
      take(key, cells);
    } else if (letters.has(key.toUpperCase())) {
      take(key.toUpperCase(), [cell]);
      go(place);
    } else if (key === "j" || key === "k") {
      go(inside ? place + (key === "j" ? 1 : -1) : place);
    } else if (key === "o" || key === "0") {
      const tick = cell.querySelector<HTMLInputElement>(`input[type=radio][value="${key === "o" ? "other" : "="}"]`);
      if (!tick) return false;
      choose(tick);
      const text = cell.querySelector<HTMLElement>(".other input[type=text]");
      if (key === "o" && text) text.focus();
      else go(place);
    } else if (/^[1-9]$/.test(key)) {
      const box = cell.querySelector<HTMLInputElement>(`input[data-key="${key}"]`);
      if (!box) return false;
      choose(box, !box.checked);
      if (!inside) go(place);
    } else {
      return false;
    }
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!event.repeat) form.requestSubmit();
      return;
    }
    const inCell = cells.some((cell) => cell.contains(document.activeElement));
    if (event.key === "Escape" && isText(event.target) && inCell) return go(current());
    if (form.dataset.singleKeys === undefined || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!isText(event.target) && act(event.key)) event.preventDefault();
  });
}

function showPins(form: HTMLFormElement) {
  const pins = [...document.querySelectorAll<HTMLElement>("[data-pin]")];
  function light({ target }: Event) {
    const cell = target instanceof Element ? target.closest<HTMLElement>("[data-cell]") : null;
    const keys = cell ? [cell.dataset.cell, cell.dataset.cell?.split(".")[1]] : [];
    for (const pin of pins) pin.classList.toggle("lit", keys.includes(pin.dataset.pin));
  }
  form.addEventListener("focusin", light);
  form.addEventListener("pointerover", light);
}
