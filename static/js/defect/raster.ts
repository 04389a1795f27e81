// Painting into the raster of one mask. Every function returns the columns and rows it may have changed,
// so that only that rectangle is drawn again.

import type { Box } from "./rle.ts";

/** x and y, in pixels of the grid. */
export type Point = readonly [number, number];
/** Left, top, right, bottom; right and bottom are not part of it. */
export type Area = [number, number, number, number];

export class Raster {
  bytes = new Uint8Array(this.width * this.height);

  constructor(public width: number, public height: number) {}

  /** A brush drawn from one point to another: discs a third of a radius apart. */
  stroke([ax, ay]: Point, [bx, by]: Point, radius: number, value: 0 | 1) {
    const steps = Math.max(1, Math.ceil(Math.hypot(bx - ax, by - ay) / Math.max(1, radius / 3)));
    for (let i = 0; i <= steps; i += 1) this.disc(ax + ((bx - ax) * i) / steps, ay + ((by - ay) * i) / steps, radius, value);
    return this.clip(Math.min(ax, bx) - radius, Math.min(ay, by) - radius, Math.max(ax, bx) + radius, Math.max(ay, by) + radius);
  }

  disc(cx: number, cy: number, radius: number, value: 0 | 1) {
    const { width, height, bytes } = this;
    const last = Math.min(width - 1, Math.floor(cx + radius - 0.5));
    for (let x = Math.max(0, Math.ceil(cx - radius - 0.5)); x <= last; x += 1) {
      const half = Math.sqrt(Math.max(0, radius * radius - (x + 0.5 - cx) ** 2));
      const top = Math.max(0, Math.round(cy - half));
      const end = Math.min(height, Math.max(Math.round(cy + half), Math.floor(cy) + (half > 0 ? 1 : 0)));
      if (end > top) bytes.fill(value, x * height + top, x * height + end);
    }
  }

  /** Fills an outline, also one that crosses itself: non-zero winding, sampled at the centre of each column. */
  polygon(points: readonly Point[], value: 0 | 1) {
    const { width, height, bytes } = this;
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const last = Math.min(width - 1, Math.ceil(Math.max(...xs)));
    for (let x = Math.max(0, Math.floor(Math.min(...xs))); x <= last; x += 1) {
      const cuts = crossings(points, x + 0.5);
      for (let i = 0, winding = 0; i + 1 < cuts.length; i += 1) {
        winding += cuts[i]?.[1] ?? 0;
        if (!winding) continue;
        const [top, end] = [Math.max(0, Math.round(cuts[i]?.[0] ?? 0)), Math.min(height, Math.round(cuts[i + 1]?.[0] ?? 0))];
        if (end > top) bytes.fill(value, x * height + top, x * height + end);
      }
    }
    return this.clip(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
  }

  /** Fills the holes inside a box: all zeros that no path of zeros connects with the outside. */
  fillHoles([left, top, across, down]: Box) {
    const { bytes, height } = this;
    const [w, h] = [across + 2, down + 2];
    // 1 is a wall or has been reached; the frame around the box is outside.
    const seen = new Uint8Array(w * h);
    for (let x = 0; x < across; x += 1) {
      const from = (left + x) * height + top;
      seen.set(bytes.subarray(from, from + down), (x + 1) * h + 1);
    }
    const stack = new Int32Array(w * h);
    let size = 1;
    seen[0] = 1;
    const reach = (at: number) => {
      if (seen[at]) return;
      seen[at] = 1;
      stack[size++] = at;
    };
    while (size) {
      const at = stack[--size] ?? 0;
      const y = at % h;
      if (at >= h) reach(at - h);
      if (at < (w - 1) * h) reach(at + h);
      if (y > 0) reach(at - 1);
      if (y < h - 1) reach(at + 1);
    }
    for (let x = 0; x < across; x += 1)
      for (let y = 0; y < down; y += 1) if (!seen[(x + 1) * h + y + 1]) bytes[(left + x) * height + top + y] = 1;
    return this.clip(left, top, left + across, top + down);
  }

  clip(x0: number, y0: number, x1: number, y1: number): Area | null {
    const area: Area = [Math.max(0, Math.floor(x0) - 1), Math.max(0, Math.floor(y0) - 1), Math.min(this.width, Math.ceil(x1) + 2), Math.min(this.height, Math.ceil(y1) + 2)];
    return area[2] > area[0] && area[3] > area[1] ? area : null;
  }

  /**
   * The pixels of a rectangle: a filled area, an edge and a white casing, each `thick` pixels wide, so that they stay
   * visible when the image is scaled down. Colours are 0xAABBGGRR.
   */
  pixels([x0, y0, x1, y1]: Area, edge: number, fill: number, thick: number) {
    const { width, height, bytes } = this;
    const across = x1 - x0;
    const made = new ImageData(across, y1 - y0);
    const out = new Uint32Array(made.data.buffer);
    for (let x = x0; x < x1; x += 1) {
      const [left, right] = [x < thick ? -1 : (x - thick) * height, x + thick >= width ? -1 : (x + thick) * height];
      for (let y = y0, at = x * height + y0, to = x - x0; y < y1; y += 1, at += 1, to += across) {
        const [up, down] = [y >= thick ? bytes[at - thick] : 0, y + thick < height ? bytes[at + thick] : 0];
        const [west, east] = [left < 0 ? 0 : bytes[left + y], right < 0 ? 0 : bytes[right + y]];
        if (bytes[at]) out[to] = up && down && west && east ? fill : edge;
        else if (up || down || west || east) out[to] = CASING;
      }
    }
    return made;
  }
}

const CASING = 0xffffffff;

/** Where an outline crosses a column, from above, and in which direction. */
function crossings(points: readonly Point[], at: number): [number, 1 | -1][] {
  const cuts: [number, 1 | -1][] = [];
  for (let i = 0; i < points.length; i += 1) {
    const [ax, ay] = points[i] ?? [0, 0];
    const [bx, by] = points[(i + 1) % points.length] ?? [0, 0];
    if (ax <= at === bx <= at) continue;
    cuts.push([ay + ((at - ax) / (bx - ax)) * (by - ay), ax < bx ? 1 : -1]);
  }
  return cuts.sort(([one], [other]) => one - other);
}

/** The smallest rectangle around both. */
export function joined(one: Area | null, other: Area | null): Area | null {
  if (!one || !other) return one ?? other;
  return [Math.min(one[0], other[0]), Math.min(one[1], other[1]), Math.max(one[2], other[2]), Math.max(one[3], other[3])];
}
