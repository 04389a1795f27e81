// The rules of realism's page: one key for each image, invalid images, the guard, and payloads there and back.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Form } from "../../../static/js/rating_form/form.ts";
import { BLIND_MS, InputGuard } from "../../../static/js/rating_form/input_guard.ts";
import { wholeImageAction } from "../../../static/js/labelling/targets.ts";
import { ANSWERS, keyAction } from "../../../static/js/rating_form/keys.ts";
import { RecentRatings } from "../../../static/js/rating_form/recent_ratings.ts";
import { dispatch, openState } from "../../../static/js/rating_form/state.ts";
import { pressOf } from "../replay/person.js";

const EMPTY = { rating: null, invalid: null, flag: null, note: "" };
const HERE = { inArea: true };
const REASONS = ["multiple_people", "no_person", "too_few_parts", "not_photorealistic", "other"];
const CHOICES = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((rating) => [`${rating}`, `${rating}`, `${rating % 10}`]),
  ...REASONS.map((reason, place) => [reason, `Invalid: ${reason.replace("_", " ")}`, `i${place + 1}`]),
];
const RATING = { name: "rating", kind: "choice", title: "Rating", help: "", required: true, choices: CHOICES, bounds: ["", "", ""], when: null };
const FORM = new Form({ items: [RATING], protocol: "realism", is_rating: true });

class Page {
  constructor(payload = {}, options = {}) {
    this.state = openState(FORM, payload, options);
    this.submits = 0;
    this.opened = [];
  }

  /** Carries out what the desk carries out. */
  act(action) {
    const { state, effects } = dispatch(FORM, this.state, action);
    this.state = state;
    for (const effect of effects) {
      if (effect.type === "again") this.act(effect.action);
      if (effect.type === "submit") this.submits += 1;
      if (effect.type === "open") this.opened.push(effect.dialog);
      if (effect.type === "withdraw") this.withdrawn = true;
    }
    return this;
  }

  press(keys, options = {}) {
    for (const name of keys.split(" ")) {
      const action = keyAction({ ...pressOf(name), ...options }, HERE);
      if (action) this.act(action);
    }
    return this;
  }

  get payload() {
    return FORM.toPayload(this.state.answer);
  }
}

test("one key rates an image and submits it", () => {
  for (const [key, rating] of [["1", 1], ["7", 7], ["9", 9], ["0", 10]]) {
    const page = new Page().press(key);
    assert.deepEqual([page.payload, page.submits], [{ ...EMPTY, rating }, 1]);
  }
});

test("I and a digit say why an image is invalid", () => {
  REASONS.slice(0, 4).forEach((code, place) => {
    const page = new Page({ rating: 3 }).press(`i ${place + 1}`);
    assert.deepEqual([page.payload, page.submits], [{ ...EMPTY, invalid: code }, 1]);
  });
  const page = new Page().press("i 9");
  assert.deepEqual([page.payload, page.submits, page.state.typed], [EMPTY, 0, "i"]);
  assert.deepEqual(page.press("Escape 9").payload, { ...EMPTY, rating: 9 });
});

test("another reason waits for its note", () => {
  const page = new Page().press("i 5");
  assert.deepEqual([page.payload, page.submits, page.opened], [{ ...EMPTY, invalid: "other" }, 0, ["note"]]);
  assert.equal(page.press("Enter").submits, 0);
  page.act({ type: "note", note: "a statue" }).press("Enter");
  assert.deepEqual([page.payload, page.submits], [{ ...EMPTY, invalid: "other", note: "a statue" }, 1]);
});

test("nothing is submitted without a rating, or offline", () => {
  const page = new Page().press("Enter Control+Enter");
  assert.deepEqual([page.submits, page.state.message.code], [0, "unanswered"]);
  assert.equal(new Page({ rating: 4 }).act({ type: "submit", offline: true }).submits, 0);
});

test("a held key answers once", () => {
  const page = new Page().press("7").press("7", { repeat: true }).press("7", { repeat: true });
  assert.equal(page.submits, 1);
  for (const key of ["Backspace", "Control+z", "i", "Enter"]) assert.equal(keyAction({ ...pressOf(key), repeat: true }, HERE), null);
});

test("taking back asks for the last rating, and says what was stored", () => {
  for (const key of ["Backspace", "Control+z", "z"]) assert.ok(new Page().press(key).withdrawn);
  const before = { number: 6, answer: FORM.fromPayload({ rating: 7 }) };
  const { message } = new Page({}, { submitted: before }).state;
  assert.equal(message.text, "7 saved for image 6.");
  assert.deepEqual(message.offers.map(({ action }) => action.type), ["undo"]);
});

test("no answer counts until the image has been seen", () => {
  let now = 1000;
  const guard = new InputGuard(() => now);
  assert.equal(guard.open, false);
  guard.shownAt = now;
  assert.deepEqual([BLIND_MS - 1, BLIND_MS].map((after) => ((now = 1000 + after), guard.open)), [false, true]);
  // Whatever answers is guarded; what does not answer is not.
  for (const key of ["7", "0", "i", "Enter", "Control+Enter"]) assert.ok(ANSWERS.has(keyAction(pressOf(key), HERE).type));
  assert.ok(ANSWERS.has(wholeImageAction("submit").type));
  assert.equal(keyAction(pressOf("r"), HERE), null);
  for (const key of ["n", "s", "?", "Control+z"]) assert.ok(!ANSWERS.has(keyAction(pressOf(key), HERE).type));
});

test("the buttons count again as soon as answers do, of the image shown alone", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.requestAnimationFrame = (/** @type {any} */ frame) => frame();
  const opened = [];
  const guard = new InputGuard(() => 1000);
  const images = [1, 2].map((number) => ({ number, decode: () => Promise.resolve() }));
  for (const image of images) guard.expect(/** @type {any} */ (image), () => opened.push(image.number));
  await Promise.resolve().then(() => {});
  mock.timers.tick(BLIND_MS - 1);
  assert.deepEqual(opened, []);
  mock.timers.tick(1);
  assert.deepEqual(opened, [2]);
  mock.timers.reset();
});

test("keys belong to the page only outside texts, and only if they are wanted", () => {
  for (const context of [{ inArea: true, inText: true }, { inArea: true, singleKeys: false }, { inArea: false }])
    for (const key of ["7", "i"]) assert.equal(keyAction(pressOf(key), context), null);
  for (const key of [".", "v", "w", "m", "a", "y"]) assert.equal(keyAction(pressOf(key), HERE), null);
});

test("payloads there and back, and differences in words", () => {
  const said = { rating: null, invalid: "no_person", flag: { reason: "other", note: "x" }, note: "n" };
  assert.deepEqual(FORM.toPayload(FORM.fromPayload(said)), said);
  assert.deepEqual(FORM.differences(FORM.fromPayload(said), FORM.fromPayload({ ...said, invalid: null, rating: 7 })), [
    { what: "Rating", mine: "Invalid: no person", theirs: "7" },
  ]);
});

/** As much of an element as the list of ratings needs. */
class Element {
  attributes = {};
  children = [];
  hasAttribute = (name) => name in this.attributes;
  getAttribute = (name) => this.attributes[name];
  setAttribute = (name, value) => (this.attributes[name] = value);
  append = (...children) => this.children.push(...children);
  replaceChildren = (...children) => (this.children = children);
}

test("the last ten ratings can be taken back, in this tab and by the same person", () => {
  const kept = new Map();
  globalThis.document = { createElement: () => new Element() };
  globalThis.sessionStorage = { getItem: (key) => kept.get(key), setItem: (key, value) => kept.set(key, value) };
  const recentOf = (user) => new RecentRatings(user, FORM, (id) => `/assignments/${id}/`);
  const drawn = ({ list }) => list.children.map(({ children: [link] }) => `${link.attributes.href} ${link.children}`);
  const recent = recentOf(3);
  assert.ok(recent.element.hidden);
  for (let id = 1; id <= 12; id += 1) recent.add(id, id, FORM.fromPayload({ rating: (id % 10) + 1 }));
  const [third, ...others] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((id) => `/assignments/${id}/ ${(id % 10) + 1}`);
  assert.deepEqual(drawn(recent), [third, ...others]);
  assert.ok(!recent.element.hidden);
  // An image rated again is the last one, and not there twice; one taken back is not there.
  recent.add(3, 3, FORM.fromPayload({ rating: 7 }));
  assert.deepEqual(drawn(recent), [...others, "/assignments/3/ 7"]);
  assert.equal(recent.list.children[9].children[0].attributes["aria-label"], "Image 3: 7");
  recent.remove(4);
  assert.deepEqual(drawn(recentOf(3)), [...others.slice(1), "/assignments/3/ 7"]);
  assert.deepEqual(drawn(recentOf(4)), []);
  delete globalThis.document;
  delete globalThis.sessionStorage;
});
