/** The client: its settings, and the methods that are generated from the OpenAPI document. */
import type { Call } from "./call.js";
import { Operations } from "./generated/operations.js";
import { type Fetch, type Settings, send } from "./transport.js";

const TIMEOUT_MS = 30_000;
const RETRIES_MAX = 4;

export interface PostriderOptions {
  /** The address of the service, such as `https://postrider.example.com`. */
  url: string;
  /** An API key. */
  key: string;
  /** Instead of the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Limit of each attempt, 30 seconds by default. */
  timeoutMs?: number | undefined;
  /** Number of retries after 429, 502, 503, 504 and network errors, 4 by default. */
  retriesMax?: number | undefined;
}

export class Postrider extends Operations {
  readonly #settings: Settings;

  constructor({ url, key, fetch, timeoutMs = TIMEOUT_MS, retriesMax = RETRIES_MAX }: PostriderOptions) {
    super();
    if (!/^https?:\/\/[^/?#]/.test(url)) throw new TypeError(`url must begin with http:// or https://: ${url}`);
    if (typeof key !== "string" || key === "") throw new TypeError("key must be an API key");
    this.#settings = {
      url: url.replace(/\/+$/, ""),
      key,
      // The global is looked up at each call, and is called without an object, as browsers require.
      fetch: fetch ?? ((target, init) => globalThis.fetch(target, init)),
      timeoutMs,
      retriesMax,
    };
  }

  protected override async call<R>(call: Call): Promise<R> {
    return (await send(this.#settings, call)) as R;
  }
}
