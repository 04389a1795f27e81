/** The 25 cells: the definition and the message of the one in use, and what the server says about each. */

const SEVERITIES = ["c", "b", "a"];
const LONGEST_AT_FULL_SIZE = 11;

export class Cells {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    this.inputs = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll(".cell > input")]);
    this.panel = /** @type {HTMLElement | null} */ (form.querySelector("#panel"));
    this.line = /** @type {HTMLElement | null} */ (form.querySelector("#line"));
    // What the page says on arrival stays until somebody does something: the first focus is the page's own.
    this.arriving = true;
  }

  start() {
    for (const input of this.inputs) {
      input.addEventListener("focus", () => this.enter(input));
      input.addEventListener("keydown", (event) => this.key(event, input));
    }
    const wrong = this.inputs.find((input) => input.ariaInvalid === "true");
    const current = wrong ?? this.inputs.find((input) => input === document.activeElement);
    if (wrong) wrong.focus();
    if (document.activeElement !== document.body) this.arriving = false;
    if (current) this.define(current);
  }

  first() {
    this.inputs[0]?.focus();
  }

  /** @param {HTMLInputElement} input */
  enter(input) {
    input.select();
    this.define(input);
    if (!(this.arriving && input.autofocus)) this.tell(input);
    this.arriving = false;
  }

  /**
   * Shows the definition of a cell.
   * @param {HTMLInputElement} input
   */
  define(input) {
    if (!this.panel) return;
    const { type = "", part = "" } = input.dataset;
    this.panel.dataset.type = type;
    this.panel.dataset.part = part;
    const title = this.panel.querySelector("h2 > .needs-script");
    if (title) title.textContent = input.labels?.[0]?.textContent ?? "";
    for (const label of this.form.querySelectorAll(".parts > span")) {
      label.classList.toggle("current", /** @type {HTMLElement} */ (label).dataset.part === part);
    }
  }

  /**
   * Puts what there is to say about a cell into the message line.
   * @param {HTMLInputElement} input
   */
  tell(input) {
    const said = saidOf(input).textContent?.trim() ?? "";
    const cell = cellOf(input);
    if (cell.classList.contains("wrong")) this.say("stop", said);
    else if (cell.classList.contains("doubtful")) this.say("warn", said);
    else this.say("info", input.dataset.hint ?? "");
  }

  /**
   * @param {"info" | "ok" | "warn" | "stop"} kind
   * @param {string} text
   */
  say(kind, text) {
    if (!this.line) return;
    this.line.className = `line ${kind}`;
    this.line.setAttribute("role", kind === "stop" ? "alert" : "status");
    const place = this.line.querySelector(".text");
    if (place) place.textContent = text;
    this.line.querySelector("button")?.remove();
  }

  /**
   * Enter does nothing, because hands used to a sheet press it after every value; arrows move in the column.
   * @param {KeyboardEvent} event
   * @param {HTMLInputElement} input
   */
  key(event, input) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") event.preventDefault();
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const own = this.inputs.filter((other) => other.dataset.type === input.dataset.type);
    own[(own.indexOf(input) + step + own.length) % own.length].focus();
  }

  /**
   * Something was typed: what was said about the old text no longer holds.
   * @param {EventTarget | null} target
   */
  typed(target) {
    if (target instanceof HTMLInputElement && this.inputs.includes(target)) {
      const letters = target.value.toLowerCase();
      cellOf(target).dataset.severity = SEVERITIES.find((letter) => letters.includes(letter)) ?? "";
      cellOf(target).toggleAttribute("data-long", target.value.length > LONGEST_AT_FULL_SIZE);
      this.mark(target, "", [], []);
      this.tell(target);
      const none = this.noErrors();
      if (target.value && none?.checked) none.checked = false;
    }
  }

  /**
   * Shows what the server says about each cell. A cell still being typed in is left alone.
   * @param {import("./autosave.js").Answer} answer
   */
  judge({ errors = {}, short = {}, warnings = {} }) {
    for (const input of this.inputs) {
      const unfinished = input === document.activeElement && !/[abc]\s*$/i.test(input.value);
      const wrong = unfinished ? [] : (errors[input.name] ?? []);
      this.mark(input, short[input.name] ?? "", wrong, warnings[input.name] ?? []);
    }
    const general = [...(errors.no_errors ?? []), ...(errors.note ?? []), ...(errors[""] ?? [])];
    const current = this.inputs.find((input) => input === document.activeElement);
    if (general.length) this.say("stop", general.join(" "));
    else if (current) this.tell(current);
    else this.elsewhere(errors);
  }

  /** @param {Record<string, string[]>} errors */
  elsewhere(errors) {
    const found = Object.values(errors);
    if (found.length) this.say("stop", found[0].join(" "));
    else this.say("info", "");
  }

  /**
   * @param {HTMLInputElement} input
   * @param {string} short
   * @param {string[]} errors
   * @param {string[]} warnings
   */
  mark(input, short, errors, warnings) {
    const cell = cellOf(input);
    cell.classList.toggle("wrong", errors.length > 0);
    cell.classList.toggle("doubtful", errors.length === 0 && warnings.length > 0);
    if (errors.length) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    saidOf(input).textContent = (errors.length ? errors : warnings).join(" ");
    const reason = cell.querySelector(".short");
    if (reason) reason.textContent = errors.length ? short : "";
  }

  /** @returns {HTMLInputElement | null} */
  noErrors() {
    return /** @type {HTMLInputElement | null} */ (this.form.elements.namedItem("no_errors"));
  }
}

/**
 * @param {HTMLInputElement} input
 * @returns {HTMLElement}
 */
function cellOf(input) {
  return /** @type {HTMLElement} */ (input.parentElement);
}

/**
 * @param {HTMLInputElement} input
 * @returns {HTMLElement}
 */
function saidOf(input) {
  return /** @type {HTMLElement} */ (cellOf(input).querySelector(".said"));
}
