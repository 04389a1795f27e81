// The view of one image. The items are those of the plain form, moved into the rail; the state is written into their inputs.

import { el, setAttribute, setClass, setText } from "../page/dom.ts";
import { GuidelineNews } from "../page/guideline_news.ts";
import { Actions } from "../page/viewing/actions.ts";
import { Header } from "../page/viewing/header.ts";
import { ImageView } from "../page/viewing/image_view.ts";
import { MessageLine } from "../page/viewing/message_line.ts";
import { RecentRatings } from "./recent_ratings.ts";
import type { AssignmentState, Bar, PageConfig, Status } from "../page/server_types.ts";
import type { Form, Item, Said } from "./form.ts";
import type { InputGuard } from "./input_guard.ts";
import type { State } from "./state.ts";

export class View {
  readonly header = new Header(this.addressOf);
  readonly stage = new ImageView();
  readonly panel = { own: new GuidelineNews() };
  readonly line = new MessageLine();
  readonly actions = new FormActions();
  readonly recent = new RecentRatings(this.config.user, this.form, this.addressOf);
  readonly counted = el("p", { class: "muted", id: "counted", hidden: this.form.oneKey });
  readonly plain = document.querySelector("#answer .rating-form") as HTMLElement;
  readonly sheet = el(
    "div",
    { class: "sheet form", id: "sheet", role: "group", "aria-label": "Rating" },
    this.plain,
    this.line.element,
    this.recent.element,
    this.actions.element,
  );
  assignment: AssignmentState | null = null;
  left: number | null = null;
  /** The current item of the image that is shown. */
  current: string | null = null;
  /** The submissions already listed. An image whose submission is undone comes back with the one before it. */
  listed: WeakSet<object> = new WeakSet();

  constructor(
    desk: HTMLElement,
    readonly config: PageConfig,
    readonly addressOf: (id: number) => string,
    readonly form: Form,
    readonly guard: InputGuard,
    readonly boxes: readonly HTMLElement[],
  ) {
    this.plain.querySelector("#line")?.remove();
    this.plain.querySelector(".ask")?.append(this.counted);
    for (const box of this.boxes) box.tabIndex = -1;
    desk.append(this.sheet);
  }

  show(assignment: AssignmentState, image: HTMLImageElement) {
    this.left = this.assignment?.id ?? null;
    this.assignment = assignment;
    this.current = null;
    this.header.show(assignment);
    this.stage.show(assignment, image);
    setAttribute(this.sheet, "data-early", this.form.oneKey);
    this.guard.expect(image, () => setAttribute(this.sheet, "data-early", null));
    if (assignment.status === "reopened") this.recent.remove(assignment.id);
  }

  update(state: State, { status, barred, locked }: { status: Status; barred: Bar | null; locked: boolean }) {
    const { answer, before, current, message } = state;
    for (const part of this.plain.querySelectorAll("fieldset")) part.disabled = locked;
    for (const box of this.boxes) {
      const item = this.form.item(box.dataset["item"] ?? "");
      box.hidden = !this.form.isAsked(item, answer.said);
      setClass(box, "current", item.name === current && !this.form.oneKey && !locked);
      for (const input of box.querySelectorAll<HTMLInputElement>("input, textarea")) write(input, item, answer.said[item.name] ?? "");
    }
    if (this.current !== null && this.current !== current) this.box(current)?.scrollIntoView({ block: "nearest" });
    this.current = current;
    const asked = this.form.asked(answer).length;
    setText(this.counted, `${asked - this.form.open(answer).length} of ${asked} answered`);
    setAttribute(this.sheet, "data-choosing", state.typed !== "");
    if (this.form.oneKey && before?.answer && this.left !== null && !this.listed.has(before)) {
      this.listed.add(before);
      this.recent.add(this.left, before.number, before.answer);
    }
    this.line.update(message);
    this.actions.update(state, status, barred);
  }

  box(name: string) {
    return this.boxes.find((box) => box.dataset["item"] === name);
  }

  /** The item has the focus before any answer looks chosen; a number has it in its slider or field. */
  focus({ current, focus }: State) {
    const box = this.box(current);
    const isNumber = this.form.item(current).kind === "number" && document.body.classList.contains("keyboard");
    const inputs = focus === "text" ? "[type=text],textarea" : focus === "" && isNumber ? "[type=range],[type=text]" : "none";
    const inside = box?.querySelector<HTMLElement>(inputs);
    (inside ?? box)?.focus({ preventScroll: true });
  }
}

function write(input: HTMLInputElement, { bounds: [least, most] }: Item, value: Said) {
  const text = value === "cannot_judge" ? "" : String(value);
  if (input.type === "radio") input.checked = input.value === value;
  else if (input.type === "checkbox") input.checked = typeof value === "string" ? input.value === value : value.includes(input.value);
  else if (input.type === "range") {
    setClass(input, "unset", text === "");
    input.value = text.replace(",", ".") || String((Number(least) + Number(most)) / 2);
  } else if (input.value !== text) input.value = text;
}

/** The shared buttons without marks: there is nothing to redo and no "no errors". */
class FormActions extends Actions {
  constructor() {
    super();
    this.none.remove();
    this.redo.remove();
    setText(this.submit.lastElementChild as Element, "Enter");
  }
}
