/** Runs on every page of a signed-in user. */

const PREFIX = "anatomark:";
const OFFLINE_WORKER = "/offline-worker.js";

/** Signing out deletes the drafts on this device, so that the next user of the device cannot read them. */
document.addEventListener("submit", ({ target }) => {
  if (!(target instanceof HTMLFormElement) || !("signOut" in target.dataset)) return;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // Without local storage there is nothing to delete.
  }
});

const MONTHS = "January February March April May June July August September October November December".split(" ");

/** The letters in the format of a time. */
const LETTERS: Readonly<Record<string, (moment: Date) => string>> = {
  j: (moment) => String(moment.getDate()),
  M: (moment) => (MONTHS[moment.getMonth()] ?? "").slice(0, 3),
  F: (moment) => MONTHS[moment.getMonth()] ?? "",
  Y: (moment) => String(moment.getFullYear()),
  H: (moment) => String(moment.getHours()).padStart(2, "0"),
  i: (moment) => String(moment.getMinutes()).padStart(2, "0"),
  s: (moment) => String(moment.getSeconds()).padStart(2, "0"),
};

/** Shows times in the local time zone, in the same format. The title keeps them in UTC. */
function localise(part: ParentNode) {
  for (const element of part.querySelectorAll("time[data-shape]")) {
    const { dateTime, dataset } = element as HTMLTimeElement;
    const moment = new Date(dateTime);
    element.textContent = (dataset.shape ?? "").replace(/[jMFYHis]/g, (letter) => LETTERS[letter]?.(moment) ?? letter);
  }
}

localise(document);
document.addEventListener("htmx:load", ({ target }) => void (target instanceof Element && localise(target)));

/** Buttons that tick all or none of the boxes of their name in a fieldset; hidden without this script. */
for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-tick]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const boxes = button.closest("fieldset")?.querySelectorAll(`input[name="${button.name}"]`) ?? [];
    for (const box of boxes) (box as HTMLInputElement).checked = button.dataset.tick === "all";
  });
}

/** The worker shows the offline page of the site. Browsers allow it only over HTTPS and on localhost. */
window.addEventListener("load", () => {
  navigator.serviceWorker?.register(OFFLINE_WORKER).catch(() => undefined);
});
