/** Signs in by the identity provider as a browser would, with its cookies, through fetch. */
import assert from "node:assert/strict";

/** A browser's cookies, by host and name; paths do not matter here. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  cookie(url: string, name: string): string | undefined {
    return this.#jar(url).get(name);
  }

  setCookie(url: string, name: string, value: string): void {
    this.#jar(url).set(name, value);
  }

  #jar(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    return jar;
  }

  /** One request, without redirects. */
  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const jar = this.#jar(url);
    const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { Accept: "text/html", ...(init.headers as Record<string, string> | undefined), Cookie };
    const response = await fetch(url, { ...init, redirect: "manual", headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0(?!\d)|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  post(url: string, fields: Record<string, string>): Promise<Response> {
    return this.request(url, { method: "POST", body: new URLSearchParams(fields) });
  }

  /** Follows redirects until a response is none, or leads to a URL that `until` matches. Returns that URL or response. */
  async follow(url: string, until = /^$/): Promise<{ url: string; response: Response | null }> {
    let at = url;
    for (let i = 0; i < 20; i += 1) {
      if (until.test(at)) return { url: at, response: null };
      const response = await this.request(at);
      const location = response.headers.get("location");
      if (location === null) return { url: at, response };
      await response.body?.cancel();
      at = new URL(location, at).href;
    }
    return assert.fail(`too many redirects, the last to ${at}`);
  }
}

export const RETURN = /\/dashboard\/sign-in\/provider\/return\?/;

/** Begins at the sign-in page, and returns the provider's page that the response leads to. */
export async function beginByProvider(browser: Browser, url: string, fields: Record<string, string> = {}) {
  const response = await browser.post(`${url}/dashboard/sign-in/provider`, { next: "", ...fields });
  const html = await response.text();
  const [, to = ""] = /^0; url=(.*)$/.exec(response.headers.get("refresh") ?? "") ?? [];
  return { status: response.status, html, to };
}

/** Signs in up to the URL with which the provider sends the browser back. */
export async function returnUrlOf(browser: Browser, url: string, fields: Record<string, string> = {}): Promise<string> {
  const { to, html } = await beginByProvider(browser, url, fields);
  assert.notEqual(to, "", html);
  const back = await browser.follow(to, RETURN);
  assert.equal(back.response, null, await back.response?.text());
  return back.url;
}

/** Signs in. Returns the page that it ends at. */
export async function signInByProvider(browser: Browser, url: string, fields: Record<string, string> = {}) {
  const end = await browser.follow(await returnUrlOf(browser, url, fields));
  const { response } = end;
  if (response === null) return assert.fail("no page");
  return { path: new URL(end.url).pathname, status: response.status, html: await response.text() };
}
