/** Runs on every page of a signed-in user. */

import { keptKeys } from "../page/saving/unsent_work.ts";

const OFFLINE_WORKER = "/offline-worker.js";

/** Signing out deletes the drafts on this device, so that the next user of the device cannot read them. */
document.addEventListener("submit", ({ target }) => {
  if (!(target instanceof HTMLFormElement) || !("signOut" in target.dataset)) return;
  for (const key of keptKeys()) localStorage.removeItem(key);
});

/** The letters in the format of a time. */
const LETTERS: Readonly<Record<string, (moment: Date) => string>> = {
  j: (moment) => String(moment.getDate()),
  M: (moment) => moment.toLocaleString("en-US", { month: "short" }),
  F: (moment) => moment.toLocaleString("en-US", { month: "long" }),
  Y: (moment) => String(moment.getFullYear()),
  H: (moment) => String(moment.getHours()).padStart(2, "0"),
  i: (moment) => String(moment.getMinutes()).padStart(2, "0"),
  s: (moment) => String(moment.getSeconds()).padStart(2, "0"),
};

/** Shows what needs a script, and times in the local time zone, in the same format. Their title keeps them in UTC. */
function prepare(part: ParentNode) {
  for (const element of part.querySelectorAll<HTMLElement>("[data-with-script]")) element.hidden = false;
  for (const element of part.querySelectorAll("time[data-shape]")) {
    const { dateTime, dataset } = element as HTMLTimeElement;
    const moment = new Date(dateTime);
    element.textContent = (dataset.shape ?? "").replace(/[jMFYHis]/g, (letter) => LETTERS[letter]?.(moment) ?? letter);
  }
}

prepare(document);
document.addEventListener("htmx:load", ({ target }) => void (target instanceof Element && prepare(target)));

/** Buttons that tick all or none of the boxes of their name in a fieldset. */
document.addEventListener("click", ({ target }) => {
  if (!(target instanceof HTMLButtonElement) || target.dataset.tick === undefined) return;
  const boxes = target.closest("fieldset")?.querySelectorAll<HTMLInputElement>(`input[name="${target.name}"]`) ?? [];
  for (const box of boxes) box.checked = target.dataset.tick === "all";
});

/** The worker shows the offline page of the site. Browsers allow it only over HTTPS and on localhost. */
window.addEventListener("load", () => {
  navigator.serviceWorker?.register(OFFLINE_WORKER).catch(() => undefined);
});
