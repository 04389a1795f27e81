// The last ten ratings of this tab, as links to their images.

import { el } from "../page/dom.ts";
import type { Answer, Form, Item } from "./form.ts";

const MOST = 10;

type Rated = { id: number; number: number; short: string; words: string };

export class RecentRatings {
  readonly key = `${this.form.slug}:${this.user}`;
  rated: Rated[] = [];
  readonly list = el("ol", { class: "row" });
  readonly element = el("nav", { class: "recent row", "aria-label": "Your last ratings" }, el("span", { class: "muted", "aria-hidden": "true" }, "Last ratings:"), this.list);

  /** The user is the one whose ratings these are. */
  constructor(readonly user: number, readonly form: Form, readonly addressOf: (id: number) => string) {
    // Without storage, the list lasts until the user leaves the page.
    try {
      this.rated = JSON.parse(sessionStorage.getItem(this.key) ?? "[]");
    } catch {}
    this.draw();
  }

  add(id: number, number: number, answer: Answer) {
    const words = this.form.words(this.form.items[0] as Item, answer);
    this.keep([...this.without(id), { id, number, short: this.form.short(answer), words }].slice(-MOST));
  }

  /** Removes the rating of an image that was undone. */
  remove(id: number) {
    this.keep(this.without(id));
  }

  without(id: number) {
    return this.rated.filter((each) => each.id !== id);
  }

  keep(rated: Rated[]) {
    this.rated = rated;
    try {
      sessionStorage.setItem(this.key, JSON.stringify(rated));
    } catch {}
    this.draw();
  }

  draw() {
    this.list.replaceChildren(...this.rated.map(({ id, number, short, words }) => el("li", {}, el("a", { class: "button compact", href: this.addressOf(id), "aria-label": `Image ${number}: ${words}` }, short))));
    this.element.hidden = !this.rated.length;
  }
}
