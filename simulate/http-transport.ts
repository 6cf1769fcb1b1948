/**
 * The way of a request to the service's real handlers and of its answer back, without a socket: what Koa gets is Node's own
 * request and response, the body fed in pieces. What the network does to either is decided here.
 */
import { EventEmitter } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FaultInjector } from "./fault-injector.ts";
import type { Incarnation } from "./incarnation.ts";
import type { Prng } from "./prng.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface ApiRequest {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** `cut`: the connection broke, and the client cannot tell what became of its request. */
export type ApiResponse = { type: "answer"; status: number; body: Record<string, unknown> } | { type: "cut" };

export interface TransportOptions {
  time: VirtualTime;
  prng: Prng;
  faults: FaultInjector;
}

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

const LATENCY_MS = [0.2, 50] as const;
const SLOW_BODY_MS = [10, 20_000] as const;

/** Sends a request to a life of the service; `settle` is called once. */
export function sendRequest(
  request: ApiRequest,
  {
    incarnation,
    handler,
    settle,
    ...parts
  }: TransportOptions & { incarnation: Incarnation; handler: Handler; settle: (reply: ApiResponse) => void },
): void {
  const { time, prng, faults } = parts;
  let isOpen = true;
  const end = (reply: ApiResponse): void => {
    if (!isOpen) return;
    isOpen = false;
    settle(reply);
  };
  const { req, res } = createExchange(request);
  const cut = (): void => {
    if (!isOpen) return;
    end({ type: "cut" });
    incarnation.whenAwake(() => {
      if (incarnation.isAlive) req.destroy(new Error("aborted"));
    });
  };
  incarnation.onDeath(() => time.after(prng.logUniform(LATENCY_MS), () => end({ type: "cut" })));
  res.end = ((body?: unknown) => {
    incarnation.effect("answer", () => {
      const isLost = faults.occurs("answer_lost");
      const reply: ApiResponse = { type: "answer", status: res.statusCode, body: JSON.parse(String(body)) };
      time.after(prng.logUniform(LATENCY_MS), () => end(isLost ? { type: "cut" } : reply));
    });
    return res;
  }) as typeof res.end;
  if (faults.occurs("client_cut")) time.after(prng.logUniform([1, 60_000]), cut);
  incarnation.after(prng.logUniform(LATENCY_MS), () => {
    handler(req, res);
    sendBody(req, request.body, { incarnation, trickles: faults.occurs("body_trickles"), prng });
  });
}

function sendBody(
  req: IncomingMessage,
  body: Buffer,
  { incarnation, trickles, prng }: { incarnation: Incarnation; trickles: boolean; prng: Prng },
): void {
  const at = trickles && body.length > 1 ? prng.integer(1, body.length - 1) : body.length;
  if (at > 0) req.push(body.subarray(0, at));
  const finish = (): void => {
    if (req.destroyed) return;
    if (at < body.length) req.push(body.subarray(at));
    req.complete = true;
    req.push(null);
  };
  if (trickles) incarnation.after(prng.logUniform(SLOW_BODY_MS), finish);
  else finish();
}

function createExchange({ method, path, headers, body }: ApiRequest): { req: IncomingMessage; res: ServerResponse } {
  const idle = { destroy: () => {}, setTimeout: () => {} };
  const socket = Object.assign(new EventEmitter(), { readable: false, destroyed: false, ...idle });
  const req = new IncomingMessage(socket as unknown as Socket);
  req.on("error", () => {});
  req.method = method;
  req.url = path;
  const all = {
    ...headers,
    host: "service.example",
    ...(method === "POST" ? { "content-length": String(body.length) } : {}),
  };
  req.rawHeaders = Object.entries(all).flat();
  req.headers = all;
  req.httpVersion = "1.1";
  const distinct = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]]));
  Object.defineProperty(req, "headersDistinct", { value: distinct });
  const res = new ServerResponse(req);
  res.sendDate = false;
  return { req, res };
}
