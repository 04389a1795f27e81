// Create and update elements. Attributes and texts that have not changed are left alone.

type Attribute = string | number | boolean | null | undefined;

/** Creates an element with attributes and children. `true` writes an empty attribute; `false` and null write none. */
export function el<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Record<string, Attribute> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children);
  return element;
}

/** A button with the name of what a click on it means. */
export const targetButton = (target: string, style: string, attributes: Record<string, Attribute>, ...children: (Node | string)[]) =>
  el("button", { type: "button", class: style, "data-target": target, ...attributes }, ...children);

export function setAttribute(element: Element, name: string, value: Attribute) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Places an element on the image, in fractions of it. */
export function placeAt(element: HTMLElement, { x, y }: { x: number; y: number }) {
  element.style.setProperty("--x", String(x));
  element.style.setProperty("--y", String(y));
}

export function setText(element: Element, text: string) {
  if (element.textContent !== text) element.textContent = text;
}

export const setClass = (element: Element, name: string, on: boolean) => element.classList.toggle(name, on);

/** The element with this id. Throws if the template lacks it. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

const PATHS: Readonly<Record<string, string>> = {
  ok: "m3.5 9.5 3.7 3.7 7.3-8",
  warn: "M9 2.5 16.2 15H1.8zM9 7.2v3.6M9 13v.1",
  stop: "M9 2.3a6.7 6.7 0 1 1 0 13.4A6.7 6.7 0 0 1 9 2.3m-4.6 2 9.2 9.2",
  info: "M9 2.3a6.7 6.7 0 1 1 0 13.4A6.7 6.7 0 0 1 9 2.3M9 8.4v4M9 5.6v.1",
  pin: "M9 16.2s5.2-4.7 5.2-8.6a5.2 5.2 0 0 0-10.4 0c0 3.9 5.2 8.6 5.2 8.6M9 9.4a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6",
  settings: "M2.5 5.5h7m4 0h2M2.5 12.5h2m4 0h7M11.5 3.5a2 2 0 1 1 0 4 2 2 0 0 1 0-4m-5 7a2 2 0 1 1 0 4 2 2 0 0 1 0-4",
  help: "M9 2.3a6.7 6.7 0 1 1 0 13.4A6.7 6.7 0 0 1 9 2.3M7 7.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M9 12.6v.1",
  menu: "M3 5h12M3 9h12M3 13h12",
  previous: "M11 4 6 9l5 5",
  next: "m7 4 5 5-5 5",
};

export const icon = (name: string) => lineIcon(PATHS[name] ?? "");

/** A path on 18 × 18, drawn in lines. */
export const lineIcon = (path: string) => svg("svg", { ...HIDDEN, ...LINES }, svg("path", { d: path }));

const HIDDEN = { "aria-hidden": "true", focusable: "false" };
const LINES = {
  class: "icon",
  viewBox: "0 0 18 18",
  fill: "none",
  stroke: "currentColor",
  "stroke-width": "1.6",
  "stroke-linecap": "round",
  "stroke-linejoin": "round",
};

/** One, two or three rising bars, which show severity without colour. */
export function barsIcon(bars: number) {
  const width = bars * 4 - 1;
  const shapes = Array.from({ length: bars }, (_, bar) =>
    svg("rect", { x: bar * 4, y: 4 - bar * 2, width: 3, height: 4 + bar * 2 }),
  );
  return svg("svg", { class: "bars", viewBox: `0 0 ${width} 8`, width, height: 8, fill: "currentColor", ...HIDDEN }, ...shapes);
}

/** Creates an element of a drawing. */
export function svg<T extends keyof SVGElementTagNameMap>(
  name: T,
  attributes: Record<string, Attribute>,
  ...children: Element[]
): SVGElementTagNameMap[T] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [attribute, value] of Object.entries(attributes)) setAttribute(element, attribute, value);
  element.append(...children);
  return element;
}

/** A key beside the words of a button, which need no telling to those who hear them. */
export const keyHint = (text: string) => el("kbd", { "aria-hidden": "true" }, text);

export const keyCap = (text: string) => el("kbd", {}, text);
