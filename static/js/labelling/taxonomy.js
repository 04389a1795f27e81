// The terms of the grid: 5 error types × 5 body parts × 3 severities, in the published order.

export const ERROR_TYPES = Object.freeze(
  /** @type {const} */ (["missing", "extra", "configuration", "orientation", "proportion"]),
);
export const BODY_PARTS = Object.freeze(/** @type {const} */ (["torso", "limbs", "feet", "hands", "face"]));
export const SEVERITIES = Object.freeze(/** @type {const} */ (["a", "b", "c"]));
export const COUNT_KINDS = Object.freeze(/** @type {const} */ (["expected", "visible"]));

/** @typedef {(typeof ERROR_TYPES)[number]} ErrorType */
/** @typedef {(typeof BODY_PARTS)[number]} BodyPart */
/** @typedef {(typeof SEVERITIES)[number]} Severity */
/** @typedef {(typeof COUNT_KINDS)[number]} CountKind */
/** @typedef {`${ErrorType}.${BodyPart}`} CellKey */

/**
 * One error type at one body part. CELLS holds all 25; compare them with ===.
 * @typedef {object} Cell
 * @property {ErrorType} type
 * @property {BodyPart} part
 * @property {CountKind} kind the count that is the denominator of its marks
 * @property {CellKey} key such as "missing.limbs"
 * @property {string} title such as "Missing · Limbs"
 */

export const LARGEST_NUMBER = 99;

/** @type {Readonly<Record<BodyPart, number>>} */
export const PER_PERSON = Object.freeze({ torso: 1, limbs: 4, feet: 2, hands: 2, face: 1 });

/** @type {Readonly<Record<ErrorType, CountKind>>} */
const KIND_OF = Object.freeze({
  missing: "expected",
  extra: "expected",
  configuration: "visible",
  orientation: "visible",
  proportion: "visible",
});

/** @type {Readonly<Record<BodyPart, readonly [string, string]>>} */
const NOUNS = Object.freeze({
  torso: ["torso", "torsos"],
  limbs: ["limb", "limbs"],
  feet: ["foot", "feet"],
  hands: ["hand", "hands"],
  face: ["face", "faces"],
});

/** @type {Readonly<Record<Severity, string>>} */
export const SEVERITY_TITLES = Object.freeze({ a: "mild", b: "moderate", c: "severe" });

/** @param {string} word */
export const titled = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/** @type {readonly Readonly<Cell>[]} */
export const CELLS = Object.freeze(
  ERROR_TYPES.flatMap((type) =>
    BODY_PARTS.map((part) =>
      Object.freeze({
        type,
        part,
        kind: KIND_OF[type],
        key: /** @type {CellKey} */ (`${type}.${part}`),
        title: `${titled(type)} · ${titled(part)}`,
      }),
    ),
  ),
);

/**
 * The cell of an error type and a body part, or of a key such as "missing.limbs".
 * Throws RangeError if there is no such cell.
 * @param {string} typeOrKey
 * @param {string} [part]
 * @returns {Readonly<Cell>}
 */
export function cellAt(typeOrKey, part) {
  const key = part === undefined ? typeOrKey : `${typeOrKey}.${part}`;
  const found = CELLS.find((cell) => cell.key === key);
  if (!found) throw new RangeError(`there is no cell ${key}`);
  return found;
}

/**
 * A count as text: "3 visible hands", "1 expected foot", "2 hands".
 * @param {number} number
 * @param {BodyPart} part
 * @param {CountKind} [kind]
 */
export function partsInWords(number, part, kind) {
  const noun = NOUNS[part][number === 1 ? 0 : 1];
  return kind ? `${number} ${kind} ${noun}` : `${number} ${noun}`;
}

/** One part as text: "one foot". @param {BodyPart} part */
export const oneInWords = (part) => `one ${NOUNS[part][0]}`;

/**
 * The plural of a body part: "feet", "faces".
 * @param {BodyPart} part
 */
export const pluralOf = (part) => NOUNS[part][1];

/** @param {number} people */
export const peopleInWords = (people) => (people === 1 ? "1 person" : `${people} people`);

/**
 * The cell that is `right` columns and `down` rows away. Both wrap around.
 * @param {Cell} cell
 * @param {number} right
 * @param {number} down
 */
export function neighbourOf(cell, right, down) {
  const column = (ERROR_TYPES.indexOf(cell.type) + right + 5 * 5) % 5;
  const row = (BODY_PARTS.indexOf(cell.part) + down + 5 * 5) % 5;
  return cellAt(String(ERROR_TYPES[column]), BODY_PARTS[row]);
}

/**
 * The cell that is `step` positions further in the prescribed order; null beyond either end.
 * @param {Cell} cell
 * @param {number} step
 * @returns {Readonly<Cell> | null}
 */
export const prescribedAfter = (cell, step) => CELLS[CELLS.indexOf(cell) + step] ?? null;

/** In JSON that is read again: cells are compared by identity. @param {string} _ @param {any} value */
export const withCells = (_, value) => CELLS.find(({ key }) => key === value?.key) ?? value;
