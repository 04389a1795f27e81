// COCO run-length encoding of a binary raster. The raster is one byte a pixel, stored column by column
// (x * height + y), which is COCO's order: encoding is one pass of indexOf, decoding one pass of fill.

/** Left, top, width, height. */
export type Box = [number, number, number, number];

/** The runs of a raster, beginning with zeros. */
export function runsOf(raster: Uint8Array): number[] {
  const runs = [];
  let from = 0;
  for (let value = 1; ; value ^= 1) {
    const at = raster.indexOf(value, from);
    if (at < 0) {
      runs.push(raster.length - from);
      return runs;
    }
    runs.push(at - from);
    from = at;
  }
}

export function fillRuns(runs: readonly number[], raster: Uint8Array, value: 0 | 1) {
  let at = 0;
  for (let i = 0; i < runs.length; i += 1) {
    const end = at + (runs[i] ?? 0);
    if (i & 1) raster.fill(value, at, end);
    at = end;
  }
}

/** The text of pycocotools: five bits a character; from the fourth run on the difference to the run two before. */
export function toText(runs: readonly number[]) {
  let text = "";
  for (let i = 0; i < runs.length; i += 1) {
    let rest = (runs[i] ?? 0) - (i > 2 ? (runs[i - 2] ?? 0) : 0);
    for (let more = true; more; ) {
      const bits = rest & 31;
      rest >>= 5;
      more = bits & 16 ? rest !== -1 : rest !== 0;
      text += String.fromCharCode(bits + (more ? 32 : 0) + 48);
    }
  }
  return text;
}

/** The runs of a text that the server has accepted, or of `toText`. */
export function fromText(text: string): number[] {
  const runs: number[] = [];
  for (let place = 0; place < text.length; ) {
    let value = 0;
    let shift = 0;
    for (let more = true; more; shift += 5) {
      const bits = text.charCodeAt(place++) - 48;
      value |= (bits & 31) << shift;
      more = (bits & 32) !== 0;
      if (!more && bits & 16) value |= -1 << (shift + 5);
    }
    runs.push(value + (runs.length > 2 ? (runs[runs.length - 2] ?? 0) : 0));
  }
  return runs;
}

/** The pieces of the runs of ones within one column each: column, first row, and the row after the last. */
function* columnsOf(runs: readonly number[], height: number): Generator<[number, number, number], void> {
  for (let i = 0, at = 0; i < runs.length; at += runs[i] ?? 0, i += 1)
    for (let from = at; i & 1 && from < at + (runs[i] ?? 0); ) {
      const column = Math.floor(from / height);
      const to = Math.min(at + (runs[i] ?? 0), (column + 1) * height);
      yield [column, from - column * height, to - column * height];
      from = to;
    }
}

/** An SVG path, as the server draws a mask. */
export const pathOf = (runs: readonly number[], height: number): string =>
  Array.from(columnsOf(runs, height), ([x, top, low]) => `M${x} ${top}h1v${low - top}h-1z`).join("");

/** Pixels, smallest rectangle, centre of mass. */
export type Measures = { area: number; box: Box; centre: [number, number] };

export function measure(runs: readonly number[], height: number): Measures {
  let [area, x0, y0, x1, y1, sumX, sumY] = [0, Infinity, Infinity, -1, -1, 0, 0];
  for (const [column, top, low] of columnsOf(runs, height)) {
    area += low - top;
    [x0, x1, y0, y1] = [Math.min(x0, column), column, Math.min(y0, top), Math.max(y1, low)];
    sumX += (low - top) * (column + 0.5);
    sumY += (low * low - top * top) / 2;
  }
  if (!area) return { area, box: [0, 0, 0, 0], centre: [0, 0] };
  return { area, box: [x0, y0, x1 - x0 + 1, y1 - y0], centre: [sumX / area, sumY / area] };
}

/** The intersection over the union of two masks of one size with pixels. */
export function overlap(one: readonly number[], other: readonly number[]) {
  let [both, either, i, j, a, b] = [0, 0, 0, 0, one[0] ?? 0, other[0] ?? 0];
  while (i < one.length && j < other.length) {
    const run = Math.min(a, b);
    both += i & j & 1 ? run : 0;
    either += (i | j) & 1 ? run : 0;
    if (!(a -= run)) a = one[(i += 1)] ?? 0;
    if (!(b -= run)) b = other[(j += 1)] ?? 0;
  }
  return both / either;
}
