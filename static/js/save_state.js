/** The words at the top right: what is stored, and what is not. They never say "Saved" before the server has. */

const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

/**
 * Shows the server's times in the person's own time zone.
 * @param {ParentNode} where
 */
export function localTimes(where) {
  for (const element of where.querySelectorAll("time[datetime]")) {
    const moment = new Date(/** @type {HTMLTimeElement} */ (element).dateTime);
    element.textContent = TIME.format(moment);
    element.setAttribute("title", moment.toLocaleString());
  }
}

export class SaveState {
  /**
   * @param {Document} page
   * @param {string} signIn address of the sign-in page
   * @param {() => void} again saves at once
   */
  constructor(page, signIn, again) {
    this.element = /** @type {HTMLElement} */ (page.getElementById("save-state"));
    this.text = /** @type {HTMLElement} */ (this.element.querySelector(".text"));
    this.signIn = signIn;
    this.again = again;
    this.element.setAttribute("aria-live", "off");
  }

  /**
   * @param {import("./autosave.js").State} state
   * @param {{at?: Date, seconds?: number, unread?: number}} [facts]
   */
  show(state, { at, seconds, unread } = {}) {
    const trouble = ["refused", "retrying", "offline", "signed-out", "conflict"].includes(state);
    this.element.classList.toggle("saved", state === "saved" && !unread);
    this.element.classList.toggle("trouble", trouble);
    this.element.setAttribute("aria-live", trouble ? "polite" : "off");
    this.element.dataset.state = state;
    this.text.replaceChildren(words(state, at, seconds, unread));
    if (state === "signed-out") this.text.append(this.link());
    if (state === "retrying") this.text.append(this.now());
  }

  /** @returns {HTMLAnchorElement} */
  link() {
    const link = document.createElement("a");
    link.href = this.signIn;
    link.target = "_blank";
    link.textContent = "Sign in";
    return link;
  }

  /** @returns {HTMLButtonElement} */
  now() {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button compact";
    button.textContent = "Now";
    button.addEventListener("click", () => this.again());
    return button;
  }
}

/**
 * @param {import("./autosave.js").State} state
 * @param {Date} [at]
 * @param {number} [seconds]
 * @param {number} [unread]
 * @returns {string}
 */
export function words(state, at, seconds, unread) {
  switch (state) {
    case "waiting":
    case "saving":
      return "Saving…";
    case "submitting":
      return "Submitting…";
    case "saved":
      if (unread) return `Saved ${at ? TIME.format(at) : ""}, but for ${unread === 1 ? "1 cell" : `${unread} cells`}`;
      return `Saved ${at ? TIME.format(at) : ""}`;
    case "refused":
      return "Not saved. See the message";
    case "retrying":
      return `Not saved. Trying again in ${seconds} s`;
    case "offline":
      return "Offline. Not saved yet";
    case "signed-out":
      return "Signed out. Not saved yet";
    case "conflict":
      return "Changed elsewhere. Not saved";
  }
}
