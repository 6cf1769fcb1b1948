/** An identity provider on loopback (oidc-provider), whose people sign in without a page: the person of the moment is the one in `person`. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { Provider } from "oidc-provider";
import { tempDir } from "./temp-dir.ts";

const CLIENT_ID = "postrider";
const CLIENT_SECRET = "a secret of the provider and Postrider";

export interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  groups?: string[];
}

export interface TestProvider {
  issuer: string;
  /** Who signs in; null for somebody who cancels. */
  person: Person | null;
  /** Answers a request instead of the provider; returns whether it has. */
  intercept: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** The paths of the requests so far. */
  requests: string[];
  /** The settings of a service that uses it. */
  env: Record<string, string>;
  /** Says that Postrider is at this URL; before the first sign-in. */
  expect(publicUrl: string): void;
  close(): Promise<void>;
}

/** Starts a provider, which knows Postrider's URL only after `expect`. */
export async function startIdentityProvider(t: TestContext): Promise<TestProvider> {
  const server = createServer((req, res) => {
    provider.requests.push((req.url ?? "").split("?")[0] ?? "");
    if (provider.intercept(req, res)) return;
    if (req.url?.startsWith("/interaction/")) void interact(req, res);
    else void callback(req, res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const secretFile = join(tempDir(t), "client-secret");
  writeFileSync(secretFile, `${CLIENT_SECRET}\n`, { mode: 0o600 });
  const people = new Map<string, Person>();
  let oidc: Provider;
  let callback: ReturnType<Provider["callback"]>;
  const interact = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { prompt, params, session } = await oidc.interactionDetails(req, res);
    const { person } = provider;
    if (person === null) {
      return oidc.interactionFinished(req, res, { error: "access_denied" }, { mergeWithLastSubmission: false });
    }
    people.set(person.sub, person);
    if (prompt.name === "login") {
      return oidc.interactionFinished(
        req,
        res,
        { login: { accountId: person.sub } },
        { mergeWithLastSubmission: false },
      );
    }
    const grant = new oidc.Grant({ accountId: session?.accountId ?? person.sub, clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    const consent = { grantId: await grant.save() };
    return oidc.interactionFinished(req, res, { consent }, { mergeWithLastSubmission: true });
  };
  const provider: TestProvider = {
    issuer,
    person: null,
    intercept: () => false,
    requests: [],
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET_FILE: secretFile },
    expect(publicUrl) {
      oidc = new Provider(issuer, {
        clients: [
          {
            client_id: CLIENT_ID,
            client_secret: CLIENT_SECRET,
            redirect_uris: [`${publicUrl}/dashboard/sign-in/provider/return`],
            post_logout_redirect_uris: [`${publicUrl}/dashboard/sign-in`],
            backchannel_logout_uri: `${publicUrl}/dashboard/sign-in/provider/ended`,
            backchannel_logout_session_required: true,
          },
        ],
        claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
        scopes: ["openid", "email", "groups"],
        cookies: { keys: ["a key of the tests"] },
        features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
        interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
        // Its own refuses loopback.
        fetch: (url, { method = "GET", headers = {}, body = null } = {}) => fetch(url, { method, headers, body }),
        findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ ...people.get(sub), sub }) }),
      });
      callback = oidc.callback();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  t.after(() => (server.listening ? provider.close() : undefined));
  return provider;
}
