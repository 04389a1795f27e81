// The requests of an upload: which files are known, and one file by the tus protocol.

import { DetailedError, Upload } from "tus-js-client";
import { Trouble } from "./sending.js";

/** @import { Item } from "./sending.js" */

const CHUNK = 8 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const SIGNED_OUT = "You are signed out. Sign in again in another tab, then resume here.";
const GONE = "This upload was discarded or is being stored. Reload the page.";
const FULL = "The server’s disk is full. Uploaded files are kept.";
const UNREADABLE = "it can no longer be read on this device";

/**
 * Sends the missing part of a file. Rejects with a Trouble.
 * @param {string} endpoint
 * @param {Item} item
 * @param {AbortSignal} signal
 * @param {(share: number) => void} progress
 * @returns {Promise<void>}
 */
export function transfer(endpoint, item, signal, progress) {
  return new Promise((resolve, reject) => {
    const upload = new Upload(item.file, {
      endpoint,
      uploadUrl: item.url,
      metadata: { filename: item.name },
      headers: { "X-CSRFToken": csrfToken() },
      chunkSize: CHUNK,
      // A small file takes one request. For a partly uploaded one, the offset is requested first.
      uploadDataDuringCreation: true,
      storeFingerprintForResuming: false,
      retryDelays: null,
      onUploadUrlAvailable: () => (item.url = upload.url),
      onProgress: (sent, total) => progress(total ? sent / total : 0),
      onSuccess: () => resolve(),
      onError: (error) => void troubleOf(error, item.file).then(reject),
    });
    signal.addEventListener("abort", () => {
      void upload.abort().catch(() => undefined);
      reject(new Trouble("aborted"));
    });
    upload.start();
  });
}

/**
 * Looks up files: true for a complete file, an address for a partial one, null for none.
 * @param {string} address
 * @param {[string, number][]} files names and sizes
 * @returns {Promise<(string | boolean | null)[]>}
 */
export async function known(address, files) {
  const { places } = await postJson(address, { files });
  return places;
}

/**
 * Creates an upload, or finds the one with the same idempotency key.
 * @param {string} address
 * @param {string} key
 * @returns {Promise<{ page: string, files: string, known: string }>}
 */
export const begin = (address, key) => postJson(address, { request_key: key });

/** @param {string} address @param {Record<string, unknown>} body @returns {Promise<any>} */
async function postJson(address, body) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(address, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
        "X-CSRFToken": csrfToken(),
      },
      body: JSON.stringify(body),
      redirect: "manual",
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.ok) return await response.json();
  } catch {
    throw new Trouble("lost");
  }
  const said = saidIn(await response.text().catch(() => ""));
  throw troubleFor(response.type === "opaqueredirect" ? 401 : response.status, said);
}

/** @param {Error} error @param {File} file @returns {Promise<Trouble>} */
async function troubleOf(error, file) {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  if (response) return troubleFor(response.getStatus(), saidIn(response.getBody()));
  // A file that was moved or changed fails just like a lost connection.
  const readable = await file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
  return readable ? new Trouble("lost") : new Trouble("refused", UNREADABLE);
}

/**
 * Maps an error response to a Trouble.
 * @param {number} status
 * @param {{ error: string, message: string }} said
 * @returns {Trouble}
 */
function troubleFor(status, { error, message }) {
  // Another tab or a repeated request has sent more: request the offset again.
  if (error === "offset" || error === "broken_off") return new Trouble("lost");
  if (status === 507 || error === "too_many") return new Trouble("stopped", message || FULL);
  if (status === 0 || status >= 500 || [408, 423, 429].includes(status)) return new Trouble("lost");
  // After a sign-out, the sign-in page responds, or the old CSRF token is refused.
  if (status < 400 || status === 401 || status === 403) return new Trouble("stopped", SIGNED_OUT);
  if (status === 404 || status === 410) return new Trouble("stopped", message || GONE);
  return new Trouble("refused", message || `the server rejected it (${status})`);
}

/** @param {string} body @returns {{ error: string, message: string }} */
function saidIn(body) {
  try {
    const { error, message } = JSON.parse(body);
    return { error: String(error ?? ""), message: String(message ?? "") };
  } catch {
    return { error: "", message: "" };
  }
}

/** The CSRF token from the cookie; signing in again changes it. */
const csrfToken = () => /(?:^|; )anatomark_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? "";
