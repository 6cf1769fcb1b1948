/** An installation with an operator, and an identity provider on loopback. */
import type { TestContext } from "node:test";
import { type Person, startIdentityProvider, type TestProvider } from "../identity-provider.ts";
import { type Installation, installWithOperator } from "./installation.ts";
import { Browser, signInByProvider } from "./provider-sign-in.ts";

export const verified = (sub: string, email: string): Person => ({ sub, email, email_verified: true });

export async function startWithProvider(t: TestContext, env: Record<string, string> = {}) {
  const provider = await startIdentityProvider(t);
  const installation = await installWithOperator(t, { env: { ...provider.env, ...env } });
  provider.expect(installation.url);
  return { provider, installation, service: installation.service };
}

/** Signs a person in with a browser of its own. */
export async function signInAs(provider: TestProvider, { url }: Installation, person: Person) {
  provider.person = person;
  const browser = new Browser();
  return { browser, ...(await signInByProvider(browser, url)) };
}
