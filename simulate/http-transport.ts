/**
 * Transports requests to the service's HTTP handlers and the responses back, without a socket: Koa gets Node's own
 * request and response objects, and the body arrives in pieces. Injects the faults of the network between client and
 * service.
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

/** `cut`: the connection broke, and the client does not know the result of its request. */
export type ApiResponse = { type: "response"; status: number; body: Record<string, unknown> } | { type: "cut" };

export interface TransportOptions {
  time: VirtualTime;
  prng: Prng;
  faults: FaultInjector;
}

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

const LATENCY_MS = [0.2, 50] as const;
const SLOW_BODY_MS = [10, 20_000] as const;

/** Sends a request to a process incarnation. Calls `settle` exactly once. */
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
    incarnation.effect("response", () => {
      const isLost = faults.occurs("response_lost");
      const reply: ApiResponse = { type: "response", status: res.statusCode, body: JSON.parse(String(body)) };
      time.after(prng.logUniform(LATENCY_MS), () => end(isLost ? { type: "cut" } : reply));
    });
    return res;
  }) as typeof res.end;
  if (faults.occurs("client_cut")) time.after(prng.logUniform([1, 60_000]), cut);
  incarnation.after(prng.logUniform(LATENCY_MS), () => {
    handler(req, res);
    sendBody(req, request.body, { incarnation, isSlow: faults.occurs("body_slow"), prng });
  });
}

function sendBody(
  req: IncomingMessage,
  body: Buffer,
  { incarnation, isSlow, prng }: { incarnation: Incarnation; isSlow: boolean; prng: Prng },
): void {
  const at = isSlow && body.length > 1 ? prng.integer(1, body.length - 1) : body.length;
  if (at > 0) req.push(body.subarray(0, at));
  const finish = (): void => {
    if (req.destroyed) return;
    if (at < body.length) req.push(body.subarray(at));
    req.complete = true;
    req.push(null);
  };
  if (isSlow) incarnation.after(prng.logUniform(SLOW_BODY_MS), finish);
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
