// The last ten ratings of this tab, as links to their images.

import { el } from "../page/dom.js";

/** @import { Answer, Form, Item } from "./form.js" */

const MOST = 10;

/** @typedef {{id: number, number: number, short: string, words: string}} Rated */

export class RecentRatings {
  /**
   * @param {number} user whose ratings these are
   * @param {Form} form
   * @param {(id: number) => string} addressOf
   */
  constructor(user, form, addressOf) {
    this.form = form;
    this.key = `${form.slug}:${user}`;
    this.addressOf = addressOf;
    this.rated = stored(this.key);
    this.label = el("span", { class: "muted", "aria-hidden": "true" });
    this.list = el("ol", {});
    this.element = el("nav", { class: "recent", "aria-label": "Your last ratings" }, this.label, this.list);
    this.draw();
  }

  /** @param {number} id @param {number} number @param {Answer} answer */
  add(id, number, answer) {
    const words = this.form.words(/** @type {Item} */ (this.form.items[0]), answer);
    this.keep([...this.without(id), { id, number, short: this.form.short(answer), words }].slice(-MOST));
  }

  /** @param {number} id of an image whose rating was undone */
  remove(id) {
    const left = this.without(id);
    if (left.length < this.rated.length) this.keep(left);
  }

  /** @param {number} id */
  without(id) {
    return this.rated.filter((each) => each.id !== id);
  }

  /** @param {Rated[]} rated */
  keep(rated) {
    this.rated = rated;
    try {
      sessionStorage.setItem(this.key, JSON.stringify(rated));
    } catch {
      // Without storage, the list lasts until the user leaves the page.
    }
    this.draw();
  }

  draw() {
    this.list.replaceChildren(...this.rated.map(({ id, number, short, words }) => el("li", {}, el("a", { href: this.addressOf(id), "aria-label": `Image ${number}: ${words}` }, short))));
    this.label.textContent = this.rated.length === 1 ? "Last rating:" : "Last ratings:";
    this.element.hidden = this.rated.length === 0;
  }
}

/** @param {string} key @returns {Rated[]} */
function stored(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "[]");
  } catch {
    return [];
  }
}
