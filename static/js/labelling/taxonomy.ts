// The terms of the grid: 5 error types × 5 body parts × 3 severities, in the published order.

export const ERROR_TYPES = Object.freeze(["missing", "extra", "configuration", "orientation", "proportion"] as const);
export const BODY_PARTS = Object.freeze(["torso", "limbs", "feet", "hands", "face"] as const);
export const SEVERITIES = Object.freeze(["a", "b", "c"] as const);
export const COUNT_KINDS = Object.freeze(["expected", "visible"] as const);

export type ErrorType = (typeof ERROR_TYPES)[number];
export type BodyPart = (typeof BODY_PARTS)[number];
export type Severity = (typeof SEVERITIES)[number];
export type CountKind = (typeof COUNT_KINDS)[number];
export type CellKey = `${ErrorType}.${BodyPart}`;

/** One error type at one body part. CELLS holds all 25; compare them with ===. */
export interface Cell {
  readonly type: ErrorType;
  readonly part: BodyPart;
  readonly kind: CountKind; // the count that is the denominator of its marks
  readonly key: CellKey; // such as "missing.limbs"
  readonly title: string; // such as "Missing · Limbs"
}

export const LARGEST_NUMBER = 99;

export const PER_PERSON: Readonly<Record<BodyPart, number>> = Object.freeze({ torso: 1, limbs: 4, feet: 2, hands: 2, face: 1 });

const NOUNS: Readonly<Record<BodyPart, readonly [string, string]>> = Object.freeze({
  torso: ["torso", "torsos"],
  limbs: ["limb", "limbs"],
  feet: ["foot", "feet"],
  hands: ["hand", "hands"],
  face: ["face", "faces"],
});

export const SEVERITY_TITLES: Readonly<Record<Severity, string>> = Object.freeze({ a: "mild", b: "moderate", c: "severe" });

export const titled = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

export const CELLS: readonly Cell[] = Object.freeze(
  ERROR_TYPES.flatMap((type) =>
    BODY_PARTS.map((part) =>
      Object.freeze({
        type,
        part,
        kind: type === "missing" || type === "extra" ? "expected" : "visible",
        key: `${type}.${part}` as CellKey,
        title: `${titled(type)} · ${titled(part)}`,
      }),
    ),
  ),
);

/**
 * The cell of an error type and a body part, or of a key such as "missing.limbs". Throws RangeError if there is no such
 * cell.
 */
export function cellAt(typeOrKey: string, part?: string): Cell {
  const key = part === undefined ? typeOrKey : `${typeOrKey}.${part}`;
  const found = CELLS.find((cell) => cell.key === key);
  if (!found) throw new RangeError(`there is no cell ${key}`);
  return found;
}

/** A count as text: "3 visible hands", "1 expected foot", "2 hands". */
export function partsInWords(number: number, part: BodyPart, kind?: CountKind) {
  const noun = NOUNS[part][number === 1 ? 0 : 1];
  return kind ? `${number} ${kind} ${noun}` : `${number} ${noun}`;
}

/** One part as text: "one foot". */
export const oneInWords = (part: BodyPart) => `one ${NOUNS[part][0]}`;

/** The plural of a body part: "feet", "faces". */
export const pluralOf = (part: BodyPart) => NOUNS[part][1];

export const peopleInWords = (people: number) => (people === 1 ? "1 person" : `${people} people`);

/** The cell that is `right` columns and `down` rows away. Both wrap around. */
export function neighbourOf(cell: Cell, right: number, down: number) {
  const column = (ERROR_TYPES.indexOf(cell.type) + right + 5 * 5) % 5;
  const row = (BODY_PARTS.indexOf(cell.part) + down + 5 * 5) % 5;
  return cellAt(String(ERROR_TYPES[column]), BODY_PARTS[row]);
}

/** The cell that is `step` positions further in the prescribed order; null beyond either end. */
export const prescribedAfter = (cell: Cell, step: number): Cell | null => CELLS[CELLS.indexOf(cell) + step] ?? null;

/** In JSON that is read again: cells are compared by identity. */
export const withCells = (_: string, value: any) => CELLS.find(({ key }) => key === value?.key) ?? value;
