/**
 * The context of a request to send, for the middleware that all requests have. With Koa's own, its router and its header fields set one by
 * one, the main thread would take a tenth longer for a message. This one has what the middleware of a send uses, as Koa has it, and asks
 * Koa where a request is unusual. test/http/send-context.test.ts compares the responses of both.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type Koa from "koa";
import type { Context, Middleware } from "koa";

const JSON_TYPE = "application/json";
const JSON_RESPONSE = "application/json; charset=utf-8";

/** Like Koa's `ctx.request`. */
class SendRequest {
  readonly #req: IncomingMessage;
  readonly #koa: () => Context;

  constructor(req: IncomingMessage, koa: () => Context) {
    this.#req = req;
    this.#koa = koa;
  }

  get length(): number | undefined {
    const announced = this.#req.headers["content-length"];
    return announced === undefined || announced === "" ? undefined : ~~Number(announced);
  }

  get type(): string {
    return this.#isPlainJson ? JSON_TYPE : this.#koa().request.type;
  }

  get charset(): string {
    return this.#isPlainJson ? "" : this.#koa().request.charset;
  }

  get #isPlainJson(): boolean {
    return this.#req.headers["content-type"] === JSON_TYPE;
  }
}

class SendContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method = "POST";
  readonly path: string;
  readonly state: Record<string, unknown> = {};
  readonly request: SendRequest;
  status = 404;
  readonly #app: Koa;
  /** The header fields of the response. Everything that sets a field writes its name in one way. */
  readonly #fields: Record<string, string> = {};
  #body: unknown;
  /** The length of a text body; null until it is needed. */
  #length: number | null = null;
  #koa: Context | null = null;

  constructor(app: Koa, req: IncomingMessage, res: ServerResponse) {
    this.#app = app;
    this.req = req;
    this.res = res;
    this.path = req.url ?? "";
    this.request = new SendRequest(req, () => this.#asKoa());
  }

  get response(): { type: string } {
    const [type = ""] = (this.#fields["Content-Type"] ?? "").split(";", 1);
    return { type };
  }

  get body(): unknown {
    return this.#body;
  }

  set body(body: unknown) {
    if (this.status === 404) this.status = 200;
    this.#body = body;
    this.#length = null;
    this.#fields["Content-Type"] ??= JSON_RESPONSE;
  }

  /** Bytes of the response's body. */
  get length(): number {
    this.#length ??= Buffer.byteLength(this.#bytes());
    return this.#length;
  }

  get(name: string): string {
    const value = this.req.headers[name.toLowerCase()];
    return typeof value === "string" ? value : "";
  }

  set(name: string | Record<string, string>, value = ""): void {
    if (typeof name === "string") this.#fields[name] = value;
    else Object.assign(this.#fields, name);
  }

  vary(field: string): void {
    this.set("Vary", field);
  }

  acceptsEncodings(...encodings: string[]): string | false {
    return this.#asKoa().acceptsEncodings(...encodings);
  }

  respond(): void {
    const { res } = this;
    if (res.headersSent || res.writableEnded) return;
    this.#fields["Content-Length"] = String(this.length);
    res.writeHead(this.status, this.#fields);
    res.end(this.#bytes());
  }

  #bytes(): string | Buffer {
    const body = this.#body ?? "";
    return typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  }

  #asKoa(): Context {
    this.#koa ??= this.#app.createContext(this.req, this.res) as Context;
    return this.#koa;
  }
}

/** Returns a listener that runs the middleware, of which the last is the endpoint's, in its own context for each request. */
export function sendListener(app: Koa, middleware: readonly Middleware[]): RequestListener {
  const end = async (): Promise<void> => {};
  const run = middleware.reduceRight<(ctx: Context) => Promise<unknown>>(
    (next, each) => (ctx) => each(ctx as never, () => next(ctx)) as Promise<unknown>,
    end,
  );
  return (req, res) => {
    const ctx = new SendContext(app, req, res);
    // The middleware uses only what a SendContext has.
    run(ctx as unknown as Context).then(
      () => ctx.respond(),
      () => res.destroy(),
    );
  };
}
