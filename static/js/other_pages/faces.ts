/**
 * Mark faces on an image: drag a rectangle, or use the keys. The numbers below the image remain the fields of the form,
 * so that the page sends exactly what they show.
 */

import { el } from "../page/dom.ts";
import { isText } from "../page/input/keyboard.ts";

const STEP = 0.01;
const SMALLEST = 4;

/** In pixels of the original. */
type Face = { x: number; y: number; w: number; h: number };

const form = document.querySelector<HTMLFormElement>("form[data-marking]");
if (form) begin(form);

function begin(form: HTMLFormElement) {
  const width = Number(form.dataset.width);
  const height = Number(form.dataset.height);
  const most = Number(form.dataset.most);
  const stage = one(form, "[data-stage]");
  const rows = one(form, "[data-rows-of-numbers]");
  const told = one(form, "[data-told]");
  const numbers = form.querySelector<HTMLDetailsElement>("details[data-numbers]");
  let faces: Face[] = read();
  let start: { x: number; y: number } | null = null;
  let ghost: HTMLElement | null = null;

  stage.classList.add("drawing");
  if (numbers && !document.querySelector("[role=alert]")) numbers.open = false;
  draw();

  rows.addEventListener("change", () => {
    faces = read();
    draw();
  });

  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    if (event.target instanceof HTMLButtonElement) event.target.focus();
    start = place(event);
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    if (!start) return;
    const box = between(start, place(event));
    ghost ??= stage.appendChild(el("span", { class: "marking-face" }));
    lay(ghost, box);
  });
  stage.addEventListener("pointerup", (event) => {
    if (!start) return;
    const box = between(start, place(event));
    stop();
    if (box.w >= SMALLEST && box.h >= SMALLEST) add(box);
  });
  stage.addEventListener("pointercancel", stop);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isText(event.target)) return;
    const key = event.key.toLowerCase();
    const action = event.target instanceof Element && event.target.closest("a, summary, .button");
    if (key === "enter" && !action) return send(event, "save");
    if (key === "n") return send(event, "none");
    if (key === "a") {
      event.preventDefault();
      add({ x: width * 0.4, y: height * 0.4, w: width * 0.2, h: height * 0.2 });
    }
  });

  function pressed(event: KeyboardEvent, index: number) {
    const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    const down = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
    if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      faces.splice(index, 1);
      changed(Math.min(index, faces.length - 1), "Rectangle removed.");
    } else if (across || down) {
      event.preventDefault();
      const unit = Math.max(1, Math.round(Math.max(width, height) * STEP));
      const face = faces[index];
      if (!face) return;
      if (event.shiftKey) {
        face.w = clamp(face.w + across * unit, SMALLEST, width - face.x);
        face.h = clamp(face.h + down * unit, SMALLEST, height - face.y);
      } else {
        face.x = clamp(face.x + across * unit, 0, width - face.w);
        face.y = clamp(face.y + down * unit, 0, height - face.h);
      }
      changed(index);
    }
  }

  function add(box: Face) {
    if (faces.length >= most) return void (told.textContent = `An image has at most ${most} rectangles.`);
    const x = Math.floor(box.x);
    const y = Math.floor(box.y);
    faces.push({ x, y, w: Math.min(Math.ceil(box.w), width - x), h: Math.min(Math.ceil(box.h), height - y) });
    changed(faces.length - 1, `Rectangle ${faces.length} added.`);
  }

  function changed(index: number, words?: string) {
    write();
    draw();
    stage.querySelectorAll("button")[index]?.focus();
    if (words) told.textContent = words;
  }

  function draw() {
    for (const old of stage.querySelectorAll(".marking-face")) old.remove();
    faces.forEach((face, index) => {
      const name = `Face ${index + 1} of ${faces.length}`;
      const shown = el("button", { type: "button", class: "marking-face", "aria-label": name });
      shown.addEventListener("keydown", (event) => pressed(event, index));
      lay(shown, face);
      stage.append(shown);
    });
  }

  function read(): Face[] {
    return [...rows.querySelectorAll("tr")]
      .map((row) => [...row.querySelectorAll("input")].map((input) => parseFloat(input.value.replace(",", "."))))
      .filter((row) => row.every(Number.isFinite))
      .map(([x = 0, y = 0, w = 0, h = 0]) => ({ x, y, w, h }));
  }

  function write() {
    const pattern = rows.querySelector("tr");
    if (!pattern) return;
    const made = [...faces, null].map((face, index) => {
      const row = pattern.cloneNode(true) as HTMLElement;
      for (const input of row.querySelectorAll("input")) {
        const name = input.name as keyof Face;
        input.value = face ? String(face[name]) : "";
        const label = input.getAttribute("aria-label") ?? "";
        input.setAttribute("aria-label", label.replace(/\d+$/, String(index + 1)));
      }
      return row;
    });
    rows.replaceChildren(...made);
  }

  function lay(shown: HTMLElement, face: Face) {
    const [left, top] = [face.x / width, face.y / height];
    const sides = { left, top, width: face.w / width, height: face.h / height };
    for (const [side, share] of Object.entries(sides)) shown.style.setProperty(side, `${share * 100}%`);
  }

  function place(event: PointerEvent) {
    const seen = stage.getBoundingClientRect();
    return {
      x: clamp(((event.clientX - seen.left) / seen.width) * width, 0, width),
      y: clamp(((event.clientY - seen.top) / seen.height) * height, 0, height),
    };
  }

  function stop() {
    start = null;
    ghost?.remove();
    ghost = null;
  }

  function send(event: KeyboardEvent, action: string) {
    event.preventDefault();
    const button = form.querySelector<HTMLButtonElement>(`button[value=${action}]`);
    if (button) form.requestSubmit(button);
  }
}

function between(one: { x: number; y: number }, other: { x: number; y: number }): Face {
  return { x: Math.min(one.x, other.x), y: Math.min(one.y, other.y), w: Math.abs(one.x - other.x), h: Math.abs(one.y - other.y) };
}

function clamp(value: number, least: number, most: number) {
  return Math.max(least, Math.min(value, most));
}

function one(within: Element, selector: string): HTMLElement {
  const found = within.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`The page has no ${selector}.`);
  return found;
}
