/** Polls the progress of an upload and updates the page. */

import { imagesPerSecond, sampled, speedWords } from "./upload/speed.js";

const EVERY_MS = 1000;
const HIDDEN_EVERY_MS = 10_000;

/**
 * @typedef {object} Standing
 * @property {string} step its change means that the page must be reloaded
 * @property {string} words
 * @property {number} share from 0 to 1
 * @property {string} warning
 * @property {number} done images
 * @property {number} images 0 while something other than images is counted
 */

const panel = document.getElementById("following");
if (panel) void follow(panel, panel.dataset.status ?? "", panel.dataset.step ?? "");

/** @param {HTMLElement} panel @param {string} address @param {string} step */
async function follow(panel, address, step) {
  /** @type {import("./upload/speed.js").Sample[]} */
  let samples = [];
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, document.hidden ? HIDDEN_EVERY_MS : EVERY_MS));
    const standing = await ask(address);
    if (!standing) continue;
    if (standing.step !== step) return location.reload();
    samples = standing.images ? sampled(samples, { at: performance.now() / 1000, done: standing.done }) : [];
    draw(panel, { ...standing, speed: speedWords(imagesPerSecond(samples), standing.images - standing.done) });
  }
}

/** The progress; null if the request fails, which is retried. @param {string} address @returns {Promise<Standing | null>} */
async function ask(address) {
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" }, cache: "no-store" });
    // The user has signed out or the upload was discarded: the reloaded page explains which.
    if (response.status === 401 || response.status === 404) location.reload();
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** @param {HTMLElement} panel @param {Standing & { speed: string }} standing */
function draw(panel, standing) {
  for (const name of /** @type {const} */ (["words", "warning", "speed"])) {
    const place = panel.querySelector(`[data-part="${name}"]`);
    if (place && place.textContent !== standing[name]) place.textContent = standing[name];
  }
  const bar = panel.querySelector("progress");
  if (bar) bar.value = standing.share;
}
