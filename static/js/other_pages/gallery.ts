/** The gallery: arrow keys move between images, and a panel shows the marks of one. Links work without JavaScript. */

/** How long, in milliseconds, the pointer rests or presses before the marks appear. */
const RESTING = 250;
const PRESSING = 500;

const peek = document.getElementById("peek");
const kept: Map<string, Promise<string>> = new Map();
let shown: HTMLAnchorElement | null = null;
let waiting: ReturnType<typeof setTimeout> | undefined;
let turn = 0;
let pressed = false;

const tileOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLAnchorElement>("a.tile") : null;

function fetched(address: string) {
  const text = kept.get(address) ?? fetch(address).then((answer) => (answer.ok ? answer.text() : Promise.reject(answer)));
  text.catch(() => kept.delete(address));
  kept.set(address, text);
  return text;
}

async function show(tile: HTMLAnchorElement) {
  if (!peek || tile === shown) return;
  const mine = ++turn;
  try {
    const text = await fetched(tile.dataset.marks ?? "");
    if (mine !== turn) return;
    hide();
    peek.innerHTML = text;
    peek.hidden = false;
    shown = tile;
    tile.classList.add("peeked");
    place(peek, tile);
  } catch {
    // The page of the image shows the marks too.
  }
}

/** Places the marks beside the image, inside the page. */
function place(box: HTMLElement, tile: HTMLElement) {
  const at = tile.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  const right = at.right - 24;
  const left = right + box.offsetWidth < room ? right : Math.max(8, at.left + 24 - box.offsetWidth);
  const above = at.top + 16 + box.offsetHeight > window.innerHeight;
  const top = above ? Math.max(8, window.innerHeight - box.offsetHeight - 8) : at.top + 16;
  const origin = (box.offsetParent ?? document.body).getBoundingClientRect();
  box.style.left = `${left - origin.left}px`;
  box.style.top = `${top - origin.top}px`;
}

function hide() {
  clearTimeout(waiting);
  turn += 1;
  shown?.classList.remove("peeked");
  shown = null;
  if (peek) peek.hidden = true;
}

function soon(tile: HTMLAnchorElement, after: number, byPress = false) {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    pressed ||= byPress;
    show(tile);
  }, after);
}

document.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch") return;
  const tile = tileOf(event.target);
  if (tile) soon(tile, RESTING);
  // The marks stay while the pointer is on them.
  else if (!(event.target instanceof Node && peek?.contains(event.target))) hide();
});
document.addEventListener("pointerdown", (event) => {
  const tile = tileOf(event.target);
  pressed = false;
  if (event.pointerType !== "touch") return;
  if (!tile) return hide();
  soon(tile, PRESSING, true);
});
for (const end of ["pointerup", "pointercancel"])
  document.addEventListener(end, () => {
    if (!pressed && !shown) clearTimeout(waiting);
  });
// A long press shows the marks instead of opening the image or the browser's menu.
document.addEventListener("contextmenu", (event) => {
  if (pressed && tileOf(event.target)) event.preventDefault();
});
document.addEventListener("click", (event) => {
  if (pressed && tileOf(event.target)) event.preventDefault();
  pressed = false;
});
document.addEventListener("focusin", (event) => {
  const tile = tileOf(event.target);
  if (!tile) hide();
  else if (tile.matches(":focus-visible")) soon(tile, RESTING);
});

/** The next image in the same list, in the direction of an arrow key. */
function neighbour(tile: HTMLAnchorElement, key: string) {
  const list = [...(tile.closest(".tiles")?.querySelectorAll("a.tile") ?? [])];
  const here = list.indexOf(tile);
  const top = tile.offsetTop;
  const columns = list.filter((one) => one instanceof HTMLElement && one.offsetTop === top).length;
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key];
  return step === undefined ? undefined : list[here + step];
}

function single(event: KeyboardEvent) {
  if (!document.querySelector("[data-single-keys]")) return;
  const key = { "/": "search", f: "add", F: "add" }[event.key];
  const target = key && document.querySelector<HTMLElement>(`[data-key="${key}"]`);
  if (!target) return;
  event.preventDefault();
  if (key === "add") target.click();
  else target.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return hide();
  const target = event.target;
  if (target instanceof HTMLElement && target.matches("input, select, textarea")) return;
  const compare = target instanceof Element ? target.closest("[data-compare]") : null;
  const step = compare?.querySelector<HTMLElement>(`[data-step="${CSS.escape(event.key)}"]`);
  if (step) {
    event.preventDefault();
    return step.click();
  }
  const tile = tileOf(target);
  if (!tile) return single(event);
  if (event.key === " ") {
    event.preventDefault();
    return tile === shown ? hide() : show(tile);
  }
  const next = neighbour(tile, event.key);
  if (!(next instanceof HTMLElement)) return single(event);
  event.preventDefault();
  next.focus();
});
