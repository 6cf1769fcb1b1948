/**
 * The way of a request to the service's real handlers and of its answer back, without a socket: what Koa gets is Node's own
 * request and response, the body fed in pieces. What the network does to either is decided here.
 */
import { EventEmitter } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Weather } from "./weather.ts";

export interface Call {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** `cut`: the connection broke, and the client cannot tell what became of its request. */
export type Reply = { type: "answer"; status: number; body: Record<string, unknown> } | { type: "cut" };

export interface FrontParts {
  time: VirtualTime;
  chance: Chance;
  weather: Weather;
}

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

const WAY_MS = [0.2, 50] as const;
const TRICKLE_MS = [10, 20_000] as const;

/** Sends a request to a life of the service; `settle` is called once. */
export function call(
  request: Call,
  { life, handler, settle, ...parts }: FrontParts & { life: Life; handler: Handler; settle: (reply: Reply) => void },
): void {
  const { time, chance, weather } = parts;
  let isOpen = true;
  const end = (reply: Reply): void => {
    if (!isOpen) return;
    isOpen = false;
    settle(reply);
  };
  const { req, res } = exchangeOf(request);
  const cut = (): void => {
    if (!isOpen) return;
    end({ type: "cut" });
    life.arrive(() => {
      if (life.alive) req.destroy(new Error("aborted"));
    });
  };
  life.onDeath(() => time.after(chance.spread(WAY_MS), () => end({ type: "cut" })));
  res.end = ((body?: unknown) => {
    life.effect("answer", () => {
      const isLost = weather.strikes("answer_lost");
      const reply: Reply = { type: "answer", status: res.statusCode, body: JSON.parse(String(body)) };
      time.after(chance.spread(WAY_MS), () => end(isLost ? { type: "cut" } : reply));
    });
    return res;
  }) as typeof res.end;
  if (weather.strikes("client_cut")) time.after(chance.spread([1, 60_000]), cut);
  life.after(chance.spread(WAY_MS), () => {
    handler(req, res);
    feed(req, request.body, { life, trickles: weather.strikes("body_trickles"), chance });
  });
}

function feed(
  req: IncomingMessage,
  body: Buffer,
  { life, trickles, chance }: { life: Life; trickles: boolean; chance: Chance },
): void {
  const at = trickles && body.length > 1 ? chance.whole(1, body.length - 1) : body.length;
  if (at > 0) req.push(body.subarray(0, at));
  const finish = (): void => {
    if (req.destroyed) return;
    if (at < body.length) req.push(body.subarray(at));
    req.complete = true;
    req.push(null);
  };
  if (trickles) life.after(chance.spread(TRICKLE_MS), finish);
  else finish();
}

function exchangeOf({ method, path, headers, body }: Call): { req: IncomingMessage; res: ServerResponse } {
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
