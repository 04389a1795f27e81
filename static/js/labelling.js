/** The labelling page: ties cells, saving and leaving together. Everything works without it, only slower. */

import { Autosave } from "./autosave.js";
import { Cells } from "./cells.js";
import { localTimes, SaveState } from "./save_state.js";

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("answer"));
const submit = /** @type {HTMLButtonElement | null} */ (document.getElementById("submit"));

localTimes(document);
// A page kept by the browser for "back" shows a version that may be long gone.
window.addEventListener("pageshow", (event) => event.persisted && location.reload());

const picture = /** @type {HTMLImageElement | null} */ (document.querySelector("[data-following]"));
if (picture) {
  const prefetch = () => (new Image().src = picture.dataset.following ?? "");
  if (picture.complete) prefetch();
  else picture.addEventListener("load", prefetch, { once: true });
}

if (form) {
  const cells = new Cells(form);
  cells.start();
  if (submit) start(form, submit, cells);
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} submit
 * @param {Cells} cells
 */
function start(form, submit, cells) {
  const state = new SaveState(document, form.dataset.signIn ?? "", () => autosave.flush());
  const autosave = new Autosave(form, {
    state: (...news) => state.show(...news),
    heard: (answer) => cells.judge(answer),
    conflict: (html) => showConflict(form, html),
  });
  let leaving = false;

  form.addEventListener("input", (event) => {
    cells.typed(event.target);
    autosave.changed();
  });
  form.addEventListener("change", () => autosave.changed());

  form.addEventListener("submit", async (event) => {
    const pressed = /** @type {HTMLButtonElement | null} */ (event.submitter);
    const action = pressed?.value ?? "draft";
    if (leaving) {
      event.preventDefault();
      return;
    }
    if (pressed && "keep" in pressed.dataset) {
      event.preventDefault();
      const clash = /** @type {HTMLElement} */ (pressed.closest("[data-version]"));
      autosave.keepMine(Number(clash.dataset.version));
      clash.remove();
      cells.first();
      return;
    }
    if (action === "draft") {
      event.preventDefault();
      autosave.flush();
      return;
    }
    if (autosave.busy) {
      // The save on its way raises the version: the submission must name the one after it.
      event.preventDefault();
      const settled = await autosave.settled();
      if (settled && pressed) form.requestSubmit(pressed);
      return;
    }
    autosave.stop();
    leaving = true;
    state.show("submitting");
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) {
      event.preventDefault();
      if (!event.repeat) form.requestSubmit(submit);
    }
    if (event.key === "Escape") closeNote(form);
    if ((event.key === "PageDown" || event.key === "PageUp") && !event.altKey && !event.ctrlKey) {
      const way = event.key === "PageDown" ? "next" : "previous";
      const link = /** @type {HTMLAnchorElement | null} */ (document.querySelector(`[data-leave="${way}"]`));
      if (!link || event.target instanceof HTMLTextAreaElement) return;
      event.preventDefault();
      link.click();
    }
  });

  for (const link of document.querySelectorAll(".desk-header a[href]")) {
    link.addEventListener("click", async (event) => {
      const click = /** @type {MouseEvent} */ (event);
      if (!autosave.busy || click.ctrlKey || click.metaKey || click.shiftKey) return;
      click.preventDefault();
      if (await autosave.settled()) location.assign(/** @type {HTMLAnchorElement} */ (link).href);
    });
  }

  document.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("[data-discard]")) autosave.stop();
    else if (!target.closest(".note")) closeNote(form, false);
  });

  window.addEventListener("beforeunload", (event) => {
    if (autosave.busy && !leaving) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => document.hidden && autosave.flush());
  window.addEventListener("online", () => autosave.retryNow());
  window.addEventListener("focus", () => autosave.retryNow());
}

/**
 * @param {HTMLFormElement} form
 * @param {boolean} [refocus]
 */
function closeNote(form, refocus = true) {
  const note = /** @type {HTMLDetailsElement | null} */ (form.querySelector("details.note[open]"));
  if (!note) return;
  note.open = false;
  const summary = /** @type {HTMLElement} */ (note.querySelector("summary"));
  const text = /** @type {HTMLTextAreaElement} */ (note.querySelector("textarea"));
  summary.toggleAttribute("data-filled", Boolean(text.value));
  if (refocus) summary.focus();
}

/**
 * @param {HTMLFormElement} form
 * @param {string} html drawn by the server from the template that the page itself includes
 */
function showConflict(form, html) {
  const place = /** @type {HTMLElement} */ (form.querySelector("#conflict"));
  place.innerHTML = html;
  localTimes(place);
}
