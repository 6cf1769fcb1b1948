/**
 * The company's identity provider: sign-in by OpenID Connect with an authorisation code and PKCE. openid-client checks state, issuer,
 * nonce, audience, times and signature. The provider is looked up at the first sign-in, so the service starts without it.
 */

import type { AuthorizationCodeGrantChecks, ClientAuth, Configuration, IDToken } from "openid-client";
import type { Clock } from "../lib/clock.ts";
import { isSafeUrl } from "../lib/loopback-name.ts";
import { HOUR_MS } from "../lib/units.ts";
import type { EndedSession, LogoutTokens } from "./logout-token.ts";
import { ProviderUnavailable, providerFetch } from "./provider-fetch.ts";
import { ProviderRejected, rejectionOf } from "./provider-rejected.ts";

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The claim with a person's groups; null where groups are of no interest. */
  groupsClaim: string | null;
}

/** What a sign-in must bring back. Kept by the browser that has begun it, sealed. */
export interface SignInChecks {
  state: string;
  nonce: string;
  verifier: string;
  /** The oldest proof of the person that counts; null for any. */
  maxAgeS: number | null;
}

/** The person whom the provider has signed in. */
export interface ProviderPerson {
  subject: string;
  /** Null unless the provider has verified it. */
  email: string | null;
  groups: string[];
  /** The provider's session; "" if it gives none. */
  sid: string;
  /** When the person proved to be that; null if the provider does not say. */
  authAtMs: number | null;
  /** For the sign-out there. */
  idToken: string;
}

/** How long what is known of the provider is used. */
const KNOWN_MS = HOUR_MS;
/** OpenID Connect Core §2. */
const SUBJECT_LENGTH_MAX = 255;
const GROUPS_MAX = 5000;

type OpenId = typeof import("openid-client");

interface Known {
  client: OpenId;
  config: Configuration;
  logoutTokens: LogoutTokens;
}

export class IdentityProvider {
  readonly issuer: string;
  /** For people: the host of the issuer. */
  readonly name: string;
  readonly #settings: ProviderSettings;
  readonly #clock: Pick<Clock, "monotonicMs">;
  #known: { value: Promise<Known>; atMs: number } | null = null;

  constructor(settings: ProviderSettings, clock: Pick<Clock, "monotonicMs">) {
    this.issuer = settings.issuer;
    this.name = new URL(settings.issuer).host;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Begins a sign-in: returns the page of the provider. Rejects with ProviderUnavailable or ProviderRejected. */
  async begin(
    redirectUri: string,
    { maxAgeS }: Pick<SignInChecks, "maxAgeS">,
  ): Promise<{ url: string; checks: SignInChecks }> {
    const { client, config } = await this.#lookUp();
    const checks = { ...newChecks(client), maxAgeS };
    const parameters: Record<string, string> = {
      redirect_uri: redirectUri,
      scope: this.#scope(config),
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: "S256",
      ...(maxAgeS === null ? {} : { max_age: String(maxAgeS), prompt: "login" }),
    };
    const url = client.buildAuthorizationUrl(config, parameters);
    if (!isSafeUrl(url)) throw new ProviderUnavailable("the authorization endpoint is neither HTTPS nor on loopback");
    return { url: url.href, checks };
  }

  /** Ends a sign-in. `url`: the redirect URI with what the provider added. Rejects with ProviderUnavailable or ProviderRejected. */
  async finish(url: URL, { state, nonce, verifier, maxAgeS }: SignInChecks): Promise<ProviderPerson> {
    const { client, config } = await this.#lookUp();
    const expected: AuthorizationCodeGrantChecks = {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
      ...(maxAgeS === null ? {} : { maxAge: maxAgeS }),
    };
    const tokens = await client.authorizationCodeGrant(config, url, expected).catch(rejectionOf);
    const claims = tokens.claims();
    if (claims === undefined || tokens.id_token === undefined) throw new ProviderRejected("no ID token", null);
    const info = this.#isComplete(claims)
      ? {}
      : await this.#userInfo({ client, config }, tokens.access_token, claims.sub);
    return this.#personOf(claims, { ...info }, tokens.id_token);
  }

  /** The page that ends the provider's session too; null if there is none, or it is not known. Never rejects. */
  async signOutUrl(idToken: string | null, returnTo: string): Promise<string | null> {
    try {
      const { client, config } = await this.#lookUp();
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      const hint: Record<string, string> = idToken === null ? {} : { id_token_hint: idToken };
      const url = client.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo, ...hint });
      return isSafeUrl(url) ? url.href : null;
    } catch {
      return null;
    }
  }

  /** Reads a logout token of the provider. Rejects with ProviderUnavailable or ProviderRejected. */
  async endedSession(logoutToken: string): Promise<EndedSession> {
    const { logoutTokens } = await this.#lookUp();
    return logoutTokens.read(logoutToken).catch(rejectionOf);
  }

  #lookUp(): Promise<Known> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#known !== null && nowMs - this.#known.atMs < KNOWN_MS) return this.#known.value;
    const known = { value: this.#discover(), atMs: nowMs };
    this.#known = known;
    known.value.catch(() => {
      // The next sign-in looks it up again.
      if (this.#known === known) this.#known = null;
    });
    return known.value;
  }

  async #discover(): Promise<Known> {
    // Only where they are used: they take time to load.
    const client = await import("openid-client");
    const { LogoutTokens } = await import("./logout-token.ts");
    const { issuer, clientId, clientSecret } = this.#settings;
    const url = new URL(issuer);
    const execute = [client.enableNonRepudiationChecks];
    if (url.protocol === "http:" && isSafeUrl(url)) execute.push(client.allowInsecureRequests);
    const options = { [client.customFetch]: providerFetch as never, execute };
    const config = await client
      .discovery(url, clientId, undefined, secretAuthentication(client, clientSecret), options)
      .catch(rejectionOf);
    const { jwks_uri: keysUrl } = config.serverMetadata();
    if (keysUrl === undefined) throw new ProviderRejected("the provider has no jwks_uri", null);
    return { client, config, logoutTokens: new LogoutTokens(keysUrl, this.#settings) };
  }

  #scope(config: Configuration): string {
    const isGroupsScope = config.serverMetadata().scopes_supported?.includes("groups") === true;
    return this.#settings.groupsClaim !== null && isGroupsScope ? "openid email groups" : "openid email";
  }

  /** Whether the ID token has all that is asked for; a provider may keep some for its userinfo endpoint. */
  #isComplete(claims: IDToken): boolean {
    const { groupsClaim } = this.#settings;
    return claims.email !== undefined && (groupsClaim === null || claims[groupsClaim] !== undefined);
  }

  async #userInfo(
    { client, config }: Omit<Known, "logoutTokens">,
    accessToken: string,
    subject: string,
  ): Promise<Record<string, unknown>> {
    if (config.serverMetadata().userinfo_endpoint === undefined) return {};
    return { ...(await client.fetchUserInfo(config, accessToken, subject).catch(rejectionOf)) };
  }

  #personOf(claims: IDToken, info: Record<string, unknown>, idToken: string): ProviderPerson {
    const { sub, sid, auth_time: authS } = claims;
    if (sub.length > SUBJECT_LENGTH_MAX) throw new ProviderRejected("the subject is too long", null);
    // The address and whether it is verified are from one source.
    const about: Record<string, unknown> = claims.email === undefined ? info : claims;
    const { groupsClaim } = this.#settings;
    return {
      subject: sub,
      email: typeof about.email === "string" && about.email_verified === true ? about.email : null,
      groups: groupsClaim === null ? [] : groupsIn(claims[groupsClaim] ?? info[groupsClaim]),
      sid: typeof sid === "string" && sid.length <= SUBJECT_LENGTH_MAX ? sid : "",
      authAtMs: typeof authS === "number" ? authS * 1000 : null,
      idToken,
    };
  }
}

const newChecks = (client: OpenId) => ({
  state: client.randomState(),
  nonce: client.randomNonce(),
  verifier: client.randomPKCECodeVerifier(),
});

/** Sends the secret in the way that the provider accepts; without a word from it, as OpenID Connect Core §9 says. */
function secretAuthentication(client: OpenId, secret: string): ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const accepted = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (accepted.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

/** A list of texts, or one. */
function groupsIn(claim: unknown): string[] {
  const list: unknown[] = Array.isArray(claim) ? claim : [claim];
  return list.slice(0, GROUPS_MAX).filter((group) => typeof group === "string");
}
