// Requests to the server. They never throw; the reply describes any failure.

/** @import { Preferences } from "./server_types.js" */

export const TIMEOUT_MS = 8000;

/**
 * `status` is 0 if the request failed.
 * @typedef {{status: number, body: any}} Reply
 */

export class Api {
  /**
   * @param {string} label the address of an annotation page, with 0 in place of the assignment
   * @param {{preferences: string}} urls
   */
  constructor(label, urls) {
    this.label = label;
    this.urls = urls;
  }

  /** @param {number} id */
  addressOf(id) {
    return this.label.replace(/\/0\/$/, `/${id}/`);
  }

  /**
   * @param {number} id
   * @returns {Promise<Reply>}
   */
  state(id) {
    return request(`${this.addressOf(id)}state`, { method: "GET" });
  }

  /**
   * The project's guideline for an assignment.
   * @param {number} id
   * @returns {Promise<Reply>}
   */
  guideline(id) {
    return request(`${this.addressOf(id)}guideline`, { method: "GET" });
  }

  /**
   * @param {number} id
   * @param {"save" | "submit" | "skip" | "reopen" | "question"} verb
   * @param {Record<string, unknown>} body
   * @param {{keepalive?: boolean}} [options]
   * @returns {Promise<Reply>}
   */
  post(id, verb, body, { keepalive = false } = {}) {
    return postJson(`${this.addressOf(id)}${verb}`, body, keepalive);
  }

  /**
   * @param {Preferences} preferences
   * @returns {Promise<Reply>}
   */
  prefer(preferences) {
    return postJson(this.urls.preferences, { ...preferences });
  }
}

/** @param {string} address @param {Record<string, unknown>} body @param {boolean} [keepalive] */
const postJson = (address, body, keepalive = false) =>
  request(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
    body: JSON.stringify(body),
    keepalive,
  });

/**
 * @param {string} address
 * @param {RequestInit} options
 * @returns {Promise<Reply>}
 */
async function request(address, options) {
  try {
    const response = await fetch(address, {
      ...options,
      headers: { Accept: "application/json", ...options.headers },
      redirect: "manual",
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.type === "opaqueredirect") return { status: 401, body: {} };
    return { status: response.status, body: await response.json() };
  } catch {
    // There was no response, or it was incomplete or not JSON.
    return { status: 0, body: {} };
  }
}

/** The CSRF token from the cookie; signing in again changes it. */
export const csrfToken = () => /(?:^|; )anatomark_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? "";

/** A random UUID. `crypto.randomUUID` exists only over HTTPS and on localhost. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
