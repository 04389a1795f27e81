// Requests to the server. They never throw; the reply describes any failure.

import type { Preferences } from "./server_types.ts";

export const TIMEOUT_MS = 8000;

/** `status` is 0 if the request failed. */
export type Reply = { status: number; body: any };

export class Api {
  /** `label` is the address of an annotation page, with 0 in place of the assignment. */
  constructor(readonly label: string, readonly urls: { preferences: string }) {}

  addressOf(id: number) {
    return this.label.replace(/\/0\/$/, `/${id}/`);
  }

  state(id: number): Promise<Reply> {
    return request(`${this.addressOf(id)}state`, { method: "GET" });
  }

  /** The project's guideline for an assignment. */
  guideline(id: number): Promise<Reply> {
    return request(`${this.addressOf(id)}guideline`, { method: "GET" });
  }

  post(
    id: number,
    verb: "save" | "submit" | "skip" | "reopen" | "question",
    body: Record<string, unknown>,
    options?: { keepalive?: boolean },
  ): Promise<Reply> {
    return postJson(`${this.addressOf(id)}${verb}`, body, options);
  }

  prefer(preferences: Preferences): Promise<Reply> {
    return postJson(this.urls.preferences, { ...preferences });
  }
}

export const postJson = (address: string, body: Record<string, unknown>, options: RequestInit = {}) =>
  request(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
    body: JSON.stringify(body),
    ...options,
  });

async function request(address: string, options: RequestInit): Promise<Reply> {
  try {
    const response = await fetch(address, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...options,
      headers: { Accept: "application/json", ...options.headers },
      redirect: "manual",
      cache: "no-store",
    });
    if (response.type === "opaqueredirect") return { status: 401, body: {} };
    const body = response.ok ? await response.json() : await response.json().catch(() => ({}));
    return { status: response.status, body };
  } catch {
    // There was no response, or it was incomplete.
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
