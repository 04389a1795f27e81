// The requests of an upload: begin it, ask which files are known, send one file.

import { csrfToken, postJson } from "../page/api.ts";
import { type Item, Trouble } from "./sending.ts";

const TIMEOUT_MS = 20_000;
/** A transfer that moves no byte for so long is tried again. */
const STALLED_MS = 120_000;
/** Bytes of the largest file that is read into memory for its digest. */
const LARGEST_DIGESTED = 64 * 1024 * 1024;
const SIGNED_OUT = "You are signed out. Sign in again in another tab, then resume here.";
const GONE = "This upload was discarded or is stored. Reload the page.";
const FULL = "The server’s disk is full. Uploaded files are kept.";
const UNREADABLE = "it can no longer be read on this device";

/** Sends a file in one request. Rejects with a Trouble. */
export function transfer(address: string, item: Item, signal: AbortSignal, progress: (share: number) => void) {
  const form = new FormData();
  form.append("name", item.name);
  form.append("size", String(item.file.size));
  form.append("file", item.file, "file");
  return new Promise<void>((resolve, reject) => {
    // fetch() does not tell how much was sent.
    const request = new XMLHttpRequest();
    let stalled = 0;
    const moved = () => {
      window.clearTimeout(stalled);
      stalled = window.setTimeout(() => request.abort(), STALLED_MS);
    };
    request.open("POST", address);
    request.setRequestHeader("X-CSRFToken", csrfToken());
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      moved();
      progress(total ? loaded / total : 0);
    });
    request.addEventListener("loadend", () => {
      window.clearTimeout(stalled);
      if (request.status === 200) resolve();
      else if (signal.aborted) reject(new Trouble("aborted"));
      else if (request.status) reject(troubleFor(request.status, saidIn(parsed(request.responseText))));
      else void lost(item.file).then(reject);
    });
    signal.addEventListener("abort", () => request.abort());
    moved();
    request.send(form);
  });
}

/** Looks up files by name and size. */
export const known = async (address: string, files: [string, number][]) => (await asked(address, { files })).files;

/** Creates an upload, or finds the one with the same idempotency key. */
export const begin = (address: string, key: string): Promise<{ page: string; files: string; known: string }> =>
  asked(address, { request_key: key });

/** The SHA-256 of a file in hexadecimal; null if this browser or its memory cannot take it. */
export async function digest(file: File): Promise<string | null> {
  if (!globalThis.crypto?.subtle || file.size > LARGEST_DIGESTED) return null;
  try {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  } catch {
    return null;
  }
}

async function asked(address: string, body: Record<string, unknown>): Promise<any> {
  const reply = await postJson(address, body, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (reply.status === 200) return reply.body;
  throw reply.status ? troubleFor(reply.status, saidIn(reply.body)) : new Trouble("lost");
}

/** A file that was moved or changed fails just like a lost connection. */
async function lost(file: File): Promise<Trouble> {
  const bytes = await file.slice(0, 1).arrayBuffer().catch(() => null);
  return bytes ? new Trouble("lost") : new Trouble("refused", UNREADABLE);
}

/** Maps an error response to a Trouble. */
function troubleFor(status: number, { error, message }: { error: string; message: string }): Trouble {
  // The connection broke, or a worker reads what was sent before: both pass.
  if (error === "broken_off" || error === "busy") return new Trouble("lost");
  if (status === 507 || error === "too_many") return new Trouble("stopped", message || FULL);
  if (status >= 500 || [408, 423, 429].includes(status)) return new Trouble("lost");
  // After a sign-out, the sign-in page responds, or the old CSRF token is refused.
  if (status < 400 || status === 401 || status === 403) return new Trouble("stopped", SIGNED_OUT);
  if (status === 404 || status === 410) return new Trouble("stopped", message || GONE);
  return new Trouble("refused", message || `the server rejected it (${status})`);
}

const saidIn = ({ error = "", message = "" }: any) => ({ error: String(error), message: String(message) });

function parsed(body: string): object {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}
