// Sign in again, after the session has ended, without leaving the page.

import { csrfToken, TIMEOUT_MS } from "../api.ts";
import { el } from "../dom.ts";
import { type Content, dialogButton } from "./frame.ts";

/** `host`: `signIn` returns an error, or null. */
export function signInDialog(
  { username, signIn, close, refuse }: { username: string; signIn: (password: string) => Promise<string | null>; close: () => void; refuse: (text: string) => void },
): Content {
  const name = el("input", { type: "text", id: "sign-in-name", value: username, autocomplete: "username", readonly: true });
  const password = el("input", { type: "password", id: "sign-in-password", autocomplete: "current-password", autofocus: true });
  const confirm = async () => {
    const problem = await signIn(password.value);
    if (problem) refuse(problem);
    else close();
  };
  password.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.ctrlKey && !event.isComposing) void confirm();
  });
  const body = [
    el("p", {}, "You are signed out. Your changes are kept on this device and are saved once you sign in again."),
    el("div", { class: "field" }, el("label", { for: name.id }, "User name"), name),
    el("div", { class: "field" }, el("label", { for: password.id }, "Password"), password),
  ];
  const buttons = [dialogButton("Later", close), dialogButton("Sign in", () => void confirm(), { primary: true })];
  return { title: "Sign in", body, buttons, confirm: () => void confirm() };
}

/** Signs in through the sign-in form of the site. `login`: its address. */
export async function signIn(login: string, username: string, password: string): Promise<"ok" | "refused" | "failed"> {
  try {
    // Loading the form sets the CSRF cookie.
    await fetch(login, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const response = await fetch(login, {
      method: "POST",
      body: new URLSearchParams({ username, password, csrfmiddlewaretoken: csrfToken() }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.type === "opaqueredirect") return "ok";
    return response.ok ? "refused" : "failed";
  } catch {
    return "failed";
  }
}
