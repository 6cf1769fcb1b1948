/**
 * Sends single webhooks: checks the URL, signs the body as Standard Webhooks specifies, and posts it. Which webhooks are sent,
 * when, and what a response means is the dispatcher's.
 */
import type { KeyObject } from "node:crypto";
import { hostOf, webhookUrlFault } from "../app/webhooks/webhook-url.ts";
import { TargetPolicy, type TargetPolicyParts } from "../dns/target-policy.ts";
import { type BoundedMap, boundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import { Connections } from "./connections.ts";
import { Exchange, type ExchangeRequest, type PostResponse } from "./exchange.ts";
import { secretKey, sign } from "./signature.ts";

export type { PostResponse } from "./exchange.ts";

export interface PostRequest {
  url: string;
  /** The webhook-id header. */
  id: string;
  /** The time of the attempt: the webhook-timestamp header. */
  atMs: number;
  body: string;
  /** One signature is sent for each. */
  secrets: string[];
}

export interface Poster {
  /** Posts the body once. Settles within 15 s; never rejects. */
  post(request: PostRequest): Promise<PostResponse>;
  /** Closes all connections. Posts under way settle with an error. */
  close(): Promise<void>;
}

export interface PosterParts extends TargetPolicyParts {
  clock: Clock;
  /** Trust anchors in PEM instead of the built-in ones. */
  ca?: string;
}

export function createPoster(parts: PosterParts): Poster {
  return new HttpPoster(parts);
}

/** The parts of a URL that do not change between posts. */
interface Target extends Pick<ExchangeRequest, "isTls" | "host" | "port" | "path"> {
  headers: string[];
  /** Why the URL is refused, in a sentence. */
  fault: string | null;
}

/** URLs and secrets whose parsed forms are stored, 1 KB each. */
const PARSED_MAX = 2000;
const CLOSED = "The service was stopped before a response arrived.";

class HttpPoster implements Poster {
  readonly #parts: PosterParts;
  readonly #policy: TargetPolicy;
  readonly #connections: Connections;
  readonly #targets: BoundedMap<Target> = boundedMap(PARSED_MAX);
  readonly #keys: BoundedMap<KeyObject> = boundedMap(PARSED_MAX);
  readonly #underWay = new Set<Exchange>();
  #isClosed = false;

  constructor(parts: PosterParts) {
    this.#parts = parts;
    this.#policy = new TargetPolicy(parts);
    const { lookup } = this.#policy;
    this.#connections = new Connections(parts.ca === undefined ? { lookup } : { lookup, ca: parts.ca });
  }

  async post(request: PostRequest): Promise<PostResponse> {
    if (this.#isClosed) return unsent(CLOSED);
    const target = this.#targetOf(request.url);
    const fault = target.fault ?? this.#policy.literalFault(target.host);
    if (fault !== null) return unsent(fault);
    try {
      return await this.#exchange({ ...target, body: request.body, headers: this.#headers(target, request) });
    } catch (error) {
      return unsent(`The webhook could not be sent: ${(error as Error).message}.`);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const exchange of this.#underWay) exchange.abort(CLOSED);
    this.#connections.close();
  }

  #exchange(request: ExchangeRequest): Promise<PostResponse> {
    const parts = { connections: this.#connections, clock: this.#parts.clock };
    return new Promise((resolve) => {
      const exchange = new Exchange(request, parts, (response) => {
        this.#underWay.delete(exchange);
        resolve(response);
      });
      this.#underWay.add(exchange);
      exchange.start();
    });
  }

  #headers(target: Target, { id, atMs, body, secrets }: PostRequest): string[] {
    if (secrets.length === 0) throw new Error("the endpoint has no signing secret");
    const timestampS = Math.floor(atMs / 1000);
    const signatures = secrets.map((secret) => sign(this.#keyOf(secret), { id, timestampS, body }));
    return [
      ...target.headers,
      "Content-Length",
      String(Buffer.byteLength(body)),
      "webhook-id",
      id,
      "webhook-timestamp",
      String(timestampS),
      "webhook-signature",
      signatures.join(" "),
    ];
  }

  #keyOf(secret: string): KeyObject {
    const known = this.#keys.peek(secret);
    if (known !== undefined) return known;
    const key = secretKey(secret);
    this.#keys.set(secret, key);
    return key;
  }

  #targetOf(url: string): Target {
    const known = this.#targets.peek(url);
    if (known !== undefined) return known;
    const target = parseTarget(url, this.#parts.allowPrivate);
    this.#targets.set(url, target);
    return target;
  }
}

function parseTarget(text: string, allowPrivate: boolean): Target {
  const fault = webhookUrlFault(text, { allowPrivate });
  if (fault !== null) return { isTls: true, host: "", port: 0, path: "", headers: [], fault };
  const url = new URL(text);
  const isTls = url.protocol === "https:";
  const port = url.port === "" ? (isTls ? 443 : 80) : Number(url.port);
  const headers = ["Host", url.host, "User-Agent", "Postrider", "Content-Type", "application/json"];
  return { isTls, host: hostOf(url), port, path: url.pathname + url.search, headers, fault };
}

function unsent(error: string): PostResponse {
  return { status: null, error, response: "", durationMs: 0, retryAfterMs: null };
}
