// How an annotation was made, stored with it. Callers pass in all times, in milliseconds. When an annotation is opened
// again, counting continues from what was stored: each request sends the whole effort, so a repeated one adds nothing.

/** A longer pause does not count as active time. */
const LONGEST_GAP = 30_000;

/** The longest time the server stores: 31 days. */
const LONGEST_MS = 31 * 24 * 60 * 60 * 1000;

export interface Capture {
  openedAt: number; // when the image was first opened
  firstInputAt: number | null;
  lastInputAt: number; // the last input; until there is one, this opening
  activeMs: number;
  visibleMs: number; // time visible, up to `visibleSince`
  visibleSince: number | null; // null while the page is hidden
  keys: number; // including modifiers; a held key counts once
  clicks: number;
  taps: number;
  undos: number;
  firstCell: string | null; // the cell of the first mark
  zoomMs: number; // time enlarged, up to `zoomSince`
  zoomSince: number | null; // null while the image is not enlarged
  suggestion: number | undefined; // the run of the suggestion that is or was shown
  shownMs: number; // how long it was shown in earlier openings
  shownFrom: number | null; // the visible time when this opening began; null if it shows none
}

/** The effort of earlier openings of the image, under the names in the payload. */
export type Effort = Partial<ReturnType<typeof effortOf>>;

/**
 * Continues from the earlier openings. The server and this device may each have a record of them. Each record covers
 * all the time up to its moment, so the longest counts, never the sum. `suggestion` is the run of the suggestion that
 * this opening shows.
 */
export function openCapture(
  at: number,
  visible: boolean,
  earlier: readonly (Effort | null | undefined)[] = [],
  suggestion?: number,
): Capture {
  const known = earlier.filter((each) => each != null);
  const most = (name: "visible_ms" | "active_ms" | "zoom_ms" | "shown_ms" | "keys" | "clicks" | "taps" | "undos") =>
    Math.max(0, ...known.map((each) => Number(each[name] ?? 0)).filter(Number.isFinite));
  const first = (name: "opened_at" | "first_input_at") => {
    const moments = known.map((each) => Date.parse(each[name] ?? "")).filter((moment) => !Number.isNaN(moment));
    return moments.length ? Math.min(...moments) : null;
  };
  return {
    openedAt: first("opened_at") ?? at,
    firstInputAt: first("first_input_at"),
    lastInputAt: at,
    activeMs: most("active_ms"),
    visibleMs: most("visible_ms"),
    visibleSince: visible ? at : null,
    keys: most("keys"),
    clicks: most("clicks"),
    taps: most("taps"),
    undos: most("undos"),
    firstCell: known.find((each) => each.first_cell)?.first_cell ?? null,
    zoomMs: most("zoom_ms"),
    zoomSince: null,
    // A run that was withdrawn since then stays on record.
    suggestion: suggestion ?? known.find((each) => each.suggestion)?.suggestion,
    shownMs: most("shown_ms"),
    shownFrom: suggestion === undefined ? null : most("visible_ms"),
  };
}

export function withInput(capture: Capture, input: "keys" | "clicks" | "taps" | "other", at: number): Capture {
  const gap = Math.max(0, at - capture.lastInputAt);
  const timed = {
    ...capture,
    firstInputAt: capture.firstInputAt ?? at,
    lastInputAt: Math.max(at, capture.lastInputAt),
    activeMs: capture.activeMs + (gap > LONGEST_GAP ? 0 : gap),
  };
  return input === "other" ? timed : { ...timed, [input]: capture[input] + 1 };
}

export function withVisibility(capture: Capture, visible: boolean, at: number): Capture {
  const visibleMs = visibleUntil(capture, at);
  return { ...capture, visibleMs, visibleSince: visible ? at : null };
}

export const withZoom = (capture: Capture, on: boolean, at: number): Capture => ({
  ...capture,
  zoomMs: zoomedUntil(capture, at),
  zoomSince: on ? at : null,
});

export const withUndo = (capture: Capture): Capture => ({ ...capture, undos: capture.undos + 1 });

/** Records the cell of the first entry. */
export const withFirst = (capture: Capture, cell: string | null): Capture =>
  capture.firstCell === null && cell ? { ...capture, firstCell: cell } : capture;

const visibleUntil = ({ visibleMs, visibleSince }: Capture, at: number) =>
  visibleMs + (visibleSince === null ? 0 : Math.max(0, at - visibleSince));

const zoomedUntil = ({ zoomMs, zoomSince }: Capture, at: number) =>
  zoomMs + (zoomSince === null ? 0 : Math.max(0, at - zoomSince));

const shownUntil = (capture: Capture, at: number) =>
  capture.shownMs + (capture.shownFrom === null ? 0 : visibleUntil(capture, at) - capture.shownFrom);

const isoTime = (at: number | null) => (at === null ? null : new Date(at).toISOString());

export interface Surroundings {
  viewport: readonly [number, number]; // CSS px
  image: readonly [number, number]; // CSS px
  pixelRatio: number;
  surround: "light" | "dark";
  scoreShown: boolean;
  confirmed?: readonly string[]; // cells in which one part has two errors
  zoom?: "none" | "loupe" | "free"; // what the batch allows; counting by dots has a loupe in any case
}

/** The effort so far, as sent to the server and kept on this device. */
export const effortOf = (capture: Capture, at: number) => ({
  opened_at: isoTime(capture.openedAt),
  first_input_at: isoTime(capture.firstInputAt),
  visible_ms: Math.min(LONGEST_MS, visibleUntil(capture, at)),
  active_ms: Math.min(LONGEST_MS, capture.activeMs),
  keys: capture.keys,
  clicks: capture.clicks,
  taps: capture.taps,
  undos: capture.undos,
  first_cell: capture.firstCell,
  zoom_ms: Math.min(LONGEST_MS, zoomedUntil(capture, at)),
  ...(capture.suggestion === undefined
    ? {}
    : { suggestion: capture.suggestion, shown_ms: Math.min(LONGEST_MS, shownUntil(capture, at)) }),
});

/** The capture as sent to the server. */
export function capturePayload(
  capture: Capture,
  { viewport, image, pixelRatio, surround, scoreShown, confirmed = [], zoom = "none" }: Surroundings,
  at: number,
) {
  const { zoom_ms, ...effort } = effortOf(capture, at);
  return {
    ...effort,
    sent_at: isoTime(at),
    viewport: [...viewport],
    image_css: [...image],
    pixel_ratio: pixelRatio,
    surround,
    score_shown: scoreShown,
    ...(zoom === "none" && !zoom_ms ? {} : { zoom, zoom_ms }),
    ...(confirmed.length ? { confirmed: [...confirmed] } : {}),
  };
}
