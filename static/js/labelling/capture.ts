// How an annotation was made, stored with it. Callers pass in all times, in milliseconds. When an annotation is opened
// again, counting continues from what was stored: each request sends the whole effort, so a repeated one adds nothing.

/** A longer pause does not count as active time. */
const LONGEST_GAP = 30_000;

/** The longest time the server stores: 31 days. */
const LONGEST_MS = 31 * 24 * 60 * 60 * 1000;

/** What is counted, by its name in the payload; times in milliseconds, up to the last change of what they depend on. */
const COUNTED = ["visible_ms", "active_ms", "zoom_ms", "shown_ms", "keys", "clicks", "taps", "undos"] as const;

export interface Capture {
  openedAt: number; // when the image was first opened
  firstInputAt: number | null;
  lastInputAt: number; // the last input; until there is one, this opening
  counted: Readonly<Record<(typeof COUNTED)[number], number>>; // a held key counts once, a modifier too
  visibleSince: number | null; // null while the page is hidden
  zoomSince: number | null; // null while the image is not enlarged
  firstCell: string | null; // the cell of the first mark
  suggestion: number | undefined; // the run of the suggestion that is or was shown
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
  const most = (name: (typeof COUNTED)[number]) =>
    Math.max(0, ...known.map((each) => Number(each[name] ?? 0)).filter(Number.isFinite));
  const first = (name: "opened_at" | "first_input_at") => {
    const moments = known.map((each) => Date.parse(each[name] ?? "")).filter((moment) => !Number.isNaN(moment));
    return moments.length ? Math.min(...moments) : null;
  };
  return {
    openedAt: first("opened_at") ?? at,
    firstInputAt: first("first_input_at"),
    lastInputAt: at,
    counted: Object.fromEntries(COUNTED.map((name) => [name, most(name)])) as Capture["counted"],
    visibleSince: visible ? at : null,
    zoomSince: null,
    firstCell: known.find((each) => each.first_cell)?.first_cell ?? null,
    // A run that was withdrawn since then stays on record.
    suggestion: suggestion ?? known.find((each) => each.suggestion)?.suggestion,
    shownFrom: suggestion === undefined ? null : most("visible_ms"),
  };
}

export function withInput(capture: Capture, input: "keys" | "clicks" | "taps" | "other", at: number): Capture {
  const gap = Math.max(0, at - capture.lastInputAt);
  const timed = {
    ...plus(capture, "active_ms", gap > LONGEST_GAP ? 0 : gap),
    firstInputAt: capture.firstInputAt ?? at,
    lastInputAt: Math.max(at, capture.lastInputAt),
  };
  return input === "other" ? timed : plus(timed, input, 1);
}

const plus = (capture: Capture, name: (typeof COUNTED)[number], more: number): Capture => ({
  ...capture,
  counted: { ...capture.counted, [name]: capture.counted[name] + more },
});

export const withVisibility = (capture: Capture, visible: boolean, at: number): Capture => ({
  ...plus(capture, "visible_ms", since(capture.visibleSince, at)),
  visibleSince: visible ? at : null,
});

export const withZoom = (capture: Capture, on: boolean, at: number): Capture => ({
  ...plus(capture, "zoom_ms", since(capture.zoomSince, at)),
  zoomSince: on ? at : null,
});

export const withUndo = (capture: Capture): Capture => plus(capture, "undos", 1);

/** Records the cell of the first entry. */
export const withFirst = (capture: Capture, cell: string | null): Capture =>
  capture.firstCell === null && cell ? { ...capture, firstCell: cell } : capture;

const since = (begun: number | null, at: number) => (begun === null ? 0 : Math.max(0, at - begun));

const isoTime = (at: number | null) => (at === null ? null : new Date(at).toISOString());

export interface Surroundings {
  viewport: readonly [number, number]; // CSS px
  image: readonly [number, number]; // CSS px
  pixelRatio: number;
  surround: "light" | "dark";
  scoreShown: boolean;
  confirmed?: readonly string[]; // cells in which one part has two errors
  visited?: readonly string[]; // cells in the prescribed order, of a guided batch
  zoom?: "none" | "loupe" | "free"; // what the batch allows; counting by dots has a loupe in any case
}

/** The effort so far, as sent to the server and kept on this device. */
export function effortOf(capture: Capture, at: number) {
  const { openedAt, firstInputAt, firstCell, suggestion, shownFrom } = capture;
  const { counted } = withZoom(withVisibility(capture, false, at), false, at);
  const { shown_ms: shown, ...capped } = Object.fromEntries(
    COUNTED.map((name) => [name, Math.min(LONGEST_MS, counted[name])]),
  ) as Capture["counted"];
  const here = shownFrom === null ? 0 : counted.visible_ms - shownFrom;
  return {
    opened_at: isoTime(openedAt),
    first_input_at: isoTime(firstInputAt),
    ...capped,
    first_cell: firstCell,
    ...(suggestion === undefined ? {} : { suggestion, shown_ms: Math.min(LONGEST_MS, shown + here) }),
  };
}

/** The capture as sent to the server. */
export function capturePayload(
  capture: Capture,
  { viewport, image, pixelRatio, surround, scoreShown, confirmed = [], visited = [], zoom = "none" }: Surroundings,
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
    ...(visited.length ? { visited: [...visited] } : {}),
  };
}
