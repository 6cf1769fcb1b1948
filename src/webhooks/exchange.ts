/**
 * One HTTP exchange with an endpoint: a POST and the beginning of its response, within limits on time and memory that a hostile
 * endpoint cannot exceed. Redirects are not followed. poster.ts signs the request; connections.ts makes the connections.
 */
import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from "node:http";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { TargetError } from "../dns/target-policy.ts";
import type { Clock } from "../lib/clock.ts";
import type { Connections } from "./connections.ts";
import { faultSentence } from "./fault-sentence.ts";
import { ResponseStart } from "./response-start.ts";
import { retryAfterMs } from "./retry-after.ts";

export interface PostResponse {
  /** The HTTP status; null without a response. */
  status: number | null;
  /** A sentence if there was no response; null otherwise. */
  error: string | null;
  /** The beginning of the body, at most 1 KiB, valid text. */
  response: string;
  durationMs: number;
  /** From the Retry-After header, at most 24 h; null without one, and after a success. */
  retryAfterMs: number | null;
}

export interface ExchangeRequest {
  isTls: boolean;
  /** A name, or an IP address without brackets. */
  host: string;
  port: number;
  /** With the query. */
  path: string;
  /** Names and values in turn, Host included. */
  headers: string[];
  body: string;
}

export interface ExchangeParts {
  connections: Connections;
  clock: Clock;
}

/** For DNS, connection, request and response together. */
const LIMIT_MS = 15_000;
const HEADER_BYTES_MAX = 16 * 1024;
/** Responses with a 1xx status before the final one. */
const INFORMATIONAL_MAX = 16;
/** Informational responses and empty lines. */
const BYTES_BEFORE_RESPONSE_MAX = 64 * 1024;

export class Exchange {
  readonly #request: ExchangeRequest;
  readonly #parts: ExchangeParts;
  readonly #startMs: number;
  readonly #settle: (response: PostResponse) => void;
  readonly #body = new ResponseStart();
  #outgoing: ClientRequest | null = null;
  #incoming: IncomingMessage | null = null;
  #informational = 0;
  #isSettled = false;

  /** `settled` is called once. */
  constructor(request: ExchangeRequest, parts: ExchangeParts, settled: (response: PostResponse) => void) {
    this.#request = request;
    this.#parts = parts;
    this.#startMs = parts.clock.monotonicMs();
    const cancel = parts.clock.after(LIMIT_MS, () => this.#end(`No response within ${LIMIT_MS / 1000} seconds.`));
    this.#settle = (response) => {
      cancel();
      settled(response);
    };
  }

  /** Sends the request; called once. */
  start(): void {
    this.#send("keepAlive");
  }

  /** Ends the exchange with this error, unless the endpoint has responded. */
  abort(error: string): void {
    this.#end(error);
  }

  #send(connection: "keepAlive" | "fresh"): void {
    const { isTls, host, port, path, headers, body } = this.#request;
    const agent: HttpAgent = this.#parts.connections.agents(isTls)[connection];
    const outgoing = (isTls ? httpsRequest : httpRequest)({
      method: "POST",
      host,
      port,
      path,
      headers,
      agent,
      maxHeaderSize: HEADER_BYTES_MAX,
    });
    this.#outgoing = outgoing;
    let receivedBytes = 0;
    // Called after the parser's own listener. The parser skips line ends before the status line and limits only the header.
    const count = (chunk: Buffer): void => {
      receivedBytes += chunk.length;
      if (this.#incoming === null && receivedBytes > BYTES_BEFORE_RESPONSE_MAX)
        this.#end(`The endpoint sent more than ${BYTES_BEFORE_RESPONSE_MAX / 1024} KiB before its response.`);
    };
    outgoing.on("socket", (socket: Socket) => socket.on("data", count));
    outgoing.on("information", () => {
      this.#informational += 1;
      if (this.#informational > INFORMATIONAL_MAX)
        this.#end("The endpoint sent too many informational responses (1xx).");
    });
    // Not asked for. Without a listener, node:http closes the connection without an event.
    outgoing.on("upgrade", (incoming, socket) => {
      socket.destroy();
      this.#incoming = incoming;
      this.#end(null);
    });
    outgoing.on("response", (incoming) => {
      incoming.socket.off("data", count);
      this.#receive(incoming);
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      const isUnanswered = outgoing.reusedSocket && receivedBytes === 0;
      // The server closed an idle connection while the request was on its way. The webhook-id is the same if it got the request.
      if (!this.#isSettled && isUnanswered && isClosed(error)) this.#send("fresh");
      else this.#end(error instanceof TargetError ? error.message : faultSentence(error));
    });
    outgoing.end(body);
  }

  #receive(incoming: IncomingMessage): void {
    this.#incoming = incoming;
    incoming.on("data", (chunk: Buffer) => {
      if (!this.#body.add(chunk)) this.#end(null);
    });
    incoming.on("end", () => this.#end(null));
    incoming.on("error", () => this.#end(null));
    incoming.on("close", () => this.#end(null));
  }

  /** Settles with the status if it has arrived, else with the error. The connection is kept only if both bodies are complete. */
  #end(error: string | null): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const incoming = this.#incoming;
    // An endpoint may respond without reading the request.
    if (incoming?.complete !== true || this.#outgoing?.writableFinished !== true) this.#outgoing?.destroy();
    const status = incoming?.statusCode ?? null;
    const isSuccess = status !== null && status >= 200 && status < 300;
    const { clock } = this.#parts;
    this.#settle({
      status,
      error: status === null ? error : null,
      response: this.#body.text(),
      durationMs: Math.round(clock.monotonicMs() - this.#startMs),
      retryAfterMs: isSuccess ? null : retryAfterMs(incoming?.headers["retry-after"], clock.now()),
    });
  }
}

function isClosed({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNRESET" || code === "EPIPE";
}
