// What has been typed before the severity: "3", "2/7", "/7".

import { LARGEST_NUMBER } from "../labelling/taxonomy.js";

/**
 * The digits as typed. `total` is null before the slash and "" right after it.
 * @typedef {{readonly affected: string, readonly total: string | null}} Entry
 */

/**
 * @param {string} digits
 * @param {number} digit
 * @returns {string | null} null if the result is not a number up to 99
 */
const longer = (digits, digit) =>
  digits === "0" || Number(digits + digit) > LARGEST_NUMBER ? null : digits + digit;

/**
 * Appends a digit; null if the number would exceed 99 or start with 0.
 * @param {Entry | null} entry
 * @param {number} digit
 * @returns {Entry | null}
 */
export function typeDigit(entry, digit) {
  if (!entry || entry.total === null) {
    const affected = longer(entry?.affected ?? "", digit);
    return affected === null ? null : { affected, total: null };
  }
  const total = longer(entry.total, digit);
  return total === null ? null : { ...entry, total };
}

/** @param {Entry | null} entry @returns {Entry} */
export const typeSlash = (entry) => ({ affected: entry?.affected ?? "", total: entry?.total ?? "" });

/**
 * Removes the last typed character; null if nothing is left.
 * @param {Entry} entry
 * @returns {Entry | null}
 */
export function dropLast(entry) {
  if (entry.total) return { ...entry, total: entry.total.slice(0, -1) };
  const affected = entry.total === null ? entry.affected.slice(0, -1) : entry.affected;
  return affected === "" ? null : { affected, total: null };
}

/** @param {string | null} digits */
const numberIn = (digits) => (digits ? Number(digits) : null);

/**
 * @param {Entry | null} entry
 * @returns {{affected: number | null, total: number | null}}
 */
export const readEntry = (entry) => ({
  affected: numberIn(entry?.affected ?? null),
  total: numberIn(entry?.total ?? null),
});

/**
 * The text in the bubble on the cell: "3 …", "3 of …", "3 of 7 …", "of 7 …".
 * @param {Entry} entry
 */
export const entryText = ({ affected, total }) =>
  [affected, ...(total === null ? [] : ["of", total]), "…"].filter((word) => word !== "").join(" ");
