/** Logout tokens, with which the provider reports that a person's session there has ended (OpenID Connect Back-Channel Logout §2.6). */
import { createRemoteJWKSet, customFetch, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { providerFetch } from "./provider-fetch.ts";
import { ProviderRejected } from "./provider-rejected.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** Of an accepted token: a later copy ends nothing that has begun since. */
const AGE_MAX = "2m";
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "Ed25519",
  "EdDSA",
];

export interface EndedSession {
  /** At least one of the two. */
  subject: string | null;
  sid: string | null;
}

/** Reads the logout tokens of a provider, which openid-client does not read. */
export class LogoutTokens {
  readonly #keys: JWTVerifyGetKey;
  readonly #expected: { issuer: string; clientId: string };

  constructor(keysUrl: string, expected: { issuer: string; clientId: string }) {
    this.#keys = createRemoteJWKSet(new URL(keysUrl), { [customFetch]: providerFetch });
    this.#expected = expected;
  }

  /** Rejects with ProviderRejected, ProviderUnavailable, or an error of jose. */
  async read(token: string): Promise<EndedSession> {
    const { payload } = await jwtVerify(token, this.#keys, {
      issuer: this.#expected.issuer,
      audience: this.#expected.clientId,
      algorithms: ALGORITHMS,
      maxTokenAge: AGE_MAX,
      clockTolerance: 30,
    });
    if (!isLogout(payload)) throw new ProviderRejected("the token is not a logout token", null);
    const [subject, sid] = [textOf(payload.sub), textOf(payload.sid)];
    if (subject === null && sid === null) throw new ProviderRejected("the logout token names nobody", null);
    return { subject, sid };
  }
}

/** An ID token has no such event, and a nonce. */
function isLogout({ events, nonce }: JWTPayload): boolean {
  return nonce === undefined && typeof events === "object" && events !== null && EVENT in events;
}

const textOf = (claim: unknown): string | null => (typeof claim === "string" && claim !== "" ? claim : null);
