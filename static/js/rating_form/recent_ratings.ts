// The last ten ratings of this tab, as links to their images.

import { el } from "../page/dom.ts";
import type { Answer, Form, Item } from "./form.ts";

const MOST = 10;

type Rated = { id: number; number: number; short: string; words: string };

export class RecentRatings {
  readonly key = `${this.form.slug}:${this.user}`;
  rated = stored(this.key);
  readonly label = el("span", { class: "muted", "aria-hidden": "true" });
  readonly list = el("ol", { class: "row" });
  readonly element = el("nav", { class: "recent", "aria-label": "Your last ratings" }, this.label, this.list);

  /** The user is the one whose ratings these are. */
  constructor(readonly user: number, readonly form: Form, readonly addressOf: (id: number) => string) {
    this.draw();
  }

  add(id: number, number: number, answer: Answer) {
    const words = this.form.words(this.form.items[0] as Item, answer);
    this.keep([...this.without(id), { id, number, short: this.form.short(answer), words }].slice(-MOST));
  }

  /** Removes the rating of an image that was undone. */
  remove(id: number) {
    const left = this.without(id);
    if (left.length < this.rated.length) this.keep(left);
  }

  without(id: number) {
    return this.rated.filter((each) => each.id !== id);
  }

  keep(rated: Rated[]) {
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

function stored(key: string): Rated[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "[]");
  } catch {
    return [];
  }
}
