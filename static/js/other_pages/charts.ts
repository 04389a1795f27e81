/** Draws the figures of a report when they scroll into view. Without JavaScript, the page shows tables and files. */

type Drawing = { spec: Record<string, any>; themes: Record<string, Record<string, any>> };
type Embed = (element: Element, spec: object, options: object) => Promise<{ finalize: () => void; view: Marks }>;
type Mark = { datum?: { link?: string } } | null | undefined;
type Marks = { addEventListener: (type: string, then: (event: MouseEvent, item: Mark) => void) => void };

/** The distance at which a figure is drawn ahead. */
const AHEAD = "400px 0px";
/** How many times its specified width a plot may take on a large screen. */
const WIDEST = 3;
const OPTIONS = {
  // Interpret expressions: the content security policy forbids compiling them.
  ast: true,
  renderer: "svg",
  actions: false,
  defaultStyle: false,
  tooltip: { disableDefaultStyle: true },
  // Errors only: without intervals, fields without values are expected.
  logLevel: 1,
};
const DARK = window.matchMedia("(prefers-color-scheme: dark)");

let renderer: Promise<Embed> | undefined;
const charts: Map<HTMLElement, Chart> = new Map();

class Chart {
  drawing: Promise<Drawing> | undefined = undefined;
  view: { finalize: () => void } | undefined = undefined;
  turn = 0;
  /** The width of the figure as specified, in pixels. */
  readonly natural = Number(this.canvas.querySelector("svg.place")?.getAttribute("width"));

  constructor(readonly canvas: HTMLElement) {}

  async draw() {
    const turn = ++this.turn;
    try {
      this.drawing ??= fetched(this.canvas.dataset.chart ?? "");
      const [embed, drawing] = await Promise.all([loaded(this.canvas.dataset.renderer ?? ""), this.drawing]);
      // The theme has changed in the meantime.
      if (turn !== this.turn) return;
      const place = document.createElement("div");
      // Hidden from screen readers: the canvas has a description, and the numbers are in a table.
      place.ariaHidden = "true";
      const themed = drawing.themes[theme()];
      // Wide axes have many labels: leave out those that would touch.
      const config = { ...themed, axis: { ...themed.axis, labelSeparation: 12 } };
      // A figure shown as a whole is scaled by its style.
      const room = this.canvas.classList.contains("whole") ? 0 : this.canvas.clientWidth - this.natural;
      // Drawing modifies a specification, so use a copy.
      const spec = widened(structuredClone(drawing.spec), room);
      const view = await embed(place, spec, { ...OPTIONS, config });
      if (turn !== this.turn) return view.finalize();
      this.view?.finalize();
      this.view = view;
      this.canvas.replaceChildren(place);
      this.canvas.dataset.drawn = theme();
      this.follow(view.view);
    } catch {
      this.drawing = undefined;
      this.canvas.dataset.drawn = "";
      this.canvas.textContent = "The figure could not be drawn. Its numbers are in the table below.";
    }
  }

  /** Makes marks open the images behind them. With the keyboard, the table of numbers does so. */
  follow(marks: Marks) {
    const images = this.canvas.dataset.images;
    if (!images) return;
    marks.addEventListener("click", (event, item) => {
      const link = item?.datum?.link;
      if (!link) return;
      if (event.ctrlKey || event.metaKey) window.open(images + link);
      else window.location.assign(images + link);
    });
    marks.addEventListener("mousemove", (_, item) => {
      this.canvas.classList.toggle("opens", Boolean(item?.datum?.link));
    });
  }
}

/** The specification with its plots widened into the space beside the figure, in pixels. */
function widened(spec: Record<string, any>, room: number) {
  if (!(room > 0)) return spec;
  const rows = Object.values(spec.datasets ?? {}).flat();
  const values = (field: string | undefined) =>
    new Set(rows.flatMap((row: any) => (field && field in row ? [row[field]] : []))).size || 1;
  const plots = spec.hconcat ?? [spec.facet ? spec.spec : spec];
  const wrapped = spec.columns && Math.min(spec.columns, values(spec.facet.field));
  const columns = wrapped ?? (spec.hconcat ? plots.length : values(spec.facet?.column?.field));
  for (const plot of plots) {
    if (typeof plot.width === "number") plot.width = stretched(plot.width, room / columns);
    if (!plot.width?.step) continue;
    const x = (plot.layer ?? [plot]).map((part: any) => part.encoding?.x?.field).find(Boolean);
    plot.width.step = stretched(plot.width.step, room / columns / values(x));
  }
  return spec;
}

function stretched(width: number, more: number) {
  return Math.floor(Math.min(WIDEST * width, width + more));
}

function theme() {
  const chosen = document.documentElement.dataset.surround;
  return chosen === "light" || chosen === "dark" ? chosen : DARK.matches ? "dark" : "light";
}

async function fetched(address: string): Promise<Drawing> {
  const answer = await fetch(address, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`figure: ${answer.status}`);
  return answer.json();
}

function loaded(address: string): Promise<Embed> {
  renderer ??= import(address).then((module) => module.default);
  renderer.catch(() => (renderer = undefined));
  return renderer;
}

const inView = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      inView.unobserve(target);
      charts.get(target)?.draw();
    }
  },
  { rootMargin: AHEAD },
);

function find() {
  for (const [canvas, chart] of charts)
    if (!canvas.isConnected) {
      chart.view?.finalize();
      inView.unobserve(canvas);
      charts.delete(canvas);
    }
  for (const canvas of document.querySelectorAll("[data-chart]")) {
    if (!(canvas instanceof HTMLElement) || charts.has(canvas)) continue;
    canvas.hidden = false;
    charts.set(canvas, new Chart(canvas));
    inView.observe(canvas);
  }
}

find();
// htmx inserts the results when a computation ends.
document.addEventListener("htmx:load", find);
DARK.addEventListener("change", () => {
  for (const chart of charts.values()) if (chart.view) chart.draw();
});
