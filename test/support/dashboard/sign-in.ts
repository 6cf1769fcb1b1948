/** Signs in through the page, with or without a browser. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { OPERATOR } from "./installation.ts";

export async function signIn(page: Page, url: string, who = OPERATOR): Promise<void> {
  await page.goto(`${url}/dashboard/sign-in`);
  await page.getByLabel("Email address").fill(who.email);
  await page.getByLabel("Password").fill(who.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("header.side").waitFor();
}

/** Sends requests as a browser with a session would. */
export interface Client {
  get(path: string): Promise<Response>;
  /** Sends a form with the session's token. */
  post(path: string, fields?: FormFields, headers?: Record<string, string>): Promise<Response>;
  /** Sends a form, and gets the page that the response redirects to. */
  submit(path: string, fields?: FormFields): Promise<string>;
  cookie: string;
  formToken: string;
}

/** The values of a form; a list has a value for each checked box of the name. */
export type FormFields = Record<string, string | string[]>;

export function postForm(url: string, fields: FormFields, headers: Record<string, string> = {}) {
  const pairs = Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
  return fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(pairs), headers });
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
  const post: Client["post"] = (path, fields = {}, headers = {}) =>
    postForm(`${url}/dashboard${path}`, { form_token: formToken, ...fields }, { Cookie: cookie, ...headers });
  return {
    get,
    cookie,
    formToken,
    post,
    async submit(path, fields) {
      const answer = await post(path, fields);
      assert.equal(answer.status, 302, await answer.text());
      return (await get((answer.headers.get("location") ?? "").replace("/dashboard", ""))).text();
    },
  };
}
