/** Keys for a check: the current item, its votes, and which masks are shown. The plain form stays and works without it. */

import { letterOf } from "./labelling/keys.js";

const sections = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("section.thing"))];
const picture = /** @type {HTMLElement} */ (document.getElementById("picture"));
const form = /** @type {HTMLFormElement} */ (document.getElementById("answer"));
const counted = document.getElementById("counted");
let current = 0;

/** @param {number} at */
function choose(at) {
  current = Math.max(0, Math.min(sections.length - 1, at));
  for (const [place, section] of sections.entries()) section.classList.toggle("current", place === current);
  const key = sections[current]?.dataset["thing"];
  for (const part of /** @type {NodeListOf<SVGElement>} */ (picture.querySelectorAll("[data-thing]"))) part.toggleAttribute("data-current", part.dataset["thing"] === key);
  // Equal masks lie on one another: the current one comes to the top.
  const mask = picture.querySelector("[data-current]");
  mask?.parentElement?.append(mask);
  sections[current]?.scrollIntoView({ block: "nearest" });
}

/** @param {HTMLElement | undefined} section @returns {HTMLInputElement[][]} the choices of each vote */
const votes = (section) => [...(section?.querySelectorAll("fieldset") ?? [])].map((vote) => [...vote.querySelectorAll("input")]);

/** @param {HTMLInputElement | undefined} choice */
function tick(choice) {
  if (!choice || choice.matches(":disabled")) return;
  choice.checked = true;
  count();
}

function count() {
  const all = sections.flatMap(votes);
  const judged = all.filter((vote) => vote.some(({ checked }) => checked)).length;
  if (counted) counted.textContent = `${judged} of ${all.length} judged`;
}

/** Keeps (0) or drops (1) mask and description, and goes on. @param {0 | 1} choice */
function both(choice) {
  for (const vote of votes(sections[current])) tick(vote[choice]);
  choose(current + 1);
}

/** Turns the vote on the mask (0) or the description (1). @param {0 | 1} which */
function turn(which) {
  const vote = votes(sections[current])[which];
  tick(vote?.[0]?.checked ? vote[1] : vote?.[0]);
}

/** Shows the masks of one annotator, or of all again. @param {string} letter */
function only(letter) {
  const shown = picture.dataset["only"] === letter ? "" : letter;
  picture.dataset["only"] = shown;
  for (const part of /** @type {NodeListOf<SVGElement>} */ (picture.querySelectorAll("[data-thing]"))) part.toggleAttribute("data-off", shown !== "" && !part.dataset["thing"]?.startsWith(shown));
}

/** @type {Readonly<Record<string, () => void>>} */
const ACTS = {
  k: () => both(0),
  d: () => both(1),
  m: () => turn(0),
  t: () => turn(1),
  v: () => picture.toggleAttribute("data-hidden", true),
  n: () => document.querySelector("details.note")?.toggleAttribute("open", true),
  ArrowDown: () => choose(current + 1),
  ArrowUp: () => choose(current - 1),
};

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") return /** @type {HTMLElement | null} */ (document.getElementById("submit"))?.click();
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches("textarea, [type=text]")) return;
  // Arrows choose within a vote that has the focus.
  if (event.key.startsWith("Arrow") && target.matches("[type=radio]")) return;
  const letters = [...new Set(sections.map((section) => section.dataset["thing"]?.[0] ?? ""))];
  const letter = /^[1-9]$/.test(event.key) ? letters[Number(event.key) - 1] : undefined;
  const act = letter ? () => only(letter) : ACTS[letterOf(event) ?? event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
document.addEventListener("keyup", (event) => letterOf(event) === "v" && picture.removeAttribute("data-hidden"));
form.addEventListener("change", count);
form.addEventListener("focusin", (event) => {
  const section = /** @type {HTMLElement} */ (event.target).closest("section.thing");
  if (section) choose(sections.indexOf(/** @type {HTMLElement} */ (section)));
});
for (const [place, section] of sections.entries()) section.addEventListener("click", () => choose(place));
count();
choose(0);
