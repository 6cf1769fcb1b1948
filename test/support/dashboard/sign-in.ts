/** Signs in through the page, with or without a browser. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { OPERATOR } from "./installation.ts";

export async function signIn(page: Page, url: string, who = OPERATOR): Promise<void> {
  await page.goto(`${url}/dashboard/sign-in`);
  await page.getByLabel("Email address").fill(who.email);
  await page.getByLabel("Password").fill(who.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** Sends requests as a browser with a session would. */
export interface Client {
  get(path: string): Promise<Response>;
  /** Sends a form with the session's token. */
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  cookie: string;
  formToken: string;
}

export function postForm(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(fields), headers });
}

/** Returns the first cookie that a response sets; "" without one. */
export function cookieOf(response: Response): string {
  return response.headers.getSetCookie().map((cookie) => cookie.split(";")[0])[0] ?? "";
}

export async function clientOf(url: string, who = OPERATOR): Promise<Client> {
  const answer = await postForm(`${url}/dashboard/sign-in`, who);
  assert.equal(answer.status, 302, await answer.text());
  return clientWith(url, cookieOf(answer));
}

export async function clientWith(url: string, cookie: string): Promise<Client> {
  const get = (path: string) =>
    fetch(`${url}/dashboard${path}`, { redirect: "manual", headers: { Cookie: cookie, Accept: "text/html" } });
  const page = await (await get("/you")).text();
  const [, formToken = ""] = /name="form_token" value="([^"]+)"/.exec(page) ?? [];
  return {
    get,
    cookie,
    formToken,
    post: (path, fields = {}, headers = {}) =>
      postForm(`${url}/dashboard${path}`, { form_token: formToken, ...fields }, { Cookie: cookie, ...headers }),
  };
}
