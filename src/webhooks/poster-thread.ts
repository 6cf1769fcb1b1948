/** The webhook thread: receives webhooks to send, posts them (poster.ts), and replies with the responses. */
import { parentPort, workerData } from "node:worker_threads";
import { cachingResolver } from "../dns/caching-resolver.ts";
import { ownAddresses } from "../dns/own-addresses.ts";
import { createResolver } from "../dns/stub-resolver.ts";
import { systemClock } from "../lib/clock.ts";
import { reportUncaughtErrors } from "../lib/thread.ts";
import { lowerThreadPriority } from "../lib/thread-priority.ts";
import { createPoster, type PostRequest, type PostResponse } from "./poster.ts";

export interface PosterThreadOptions {
  /** Empty: the system's servers. */
  dnsServers: string[];
  /** WEBHOOK_ALLOW_PRIVATE: allows http and all addresses. */
  allowPrivate: boolean;
  /** Addresses that are refused as this server's own. */
  sendingIps: string[];
}

/** The requests of one event loop iteration; each has its own number. */
export type ToPoster = { number: number; request: PostRequest }[];
/** The responses of one event loop iteration. */
export type FromPoster = { number: number; response: PostResponse }[];

/**
 * Webhooks must not delay messages on a busy host: there, the thread gets a tenth of a core beside another, which is several
 * hundred posts a second. With nice 5, a quarter, an endpoint for all events takes more than a fifth of the rate of messages.
 */
const NICE = 10;

reportUncaughtErrors();
lowerThreadPriority(NICE);

const { dnsServers, allowPrivate, sendingIps } = workerData.data as PosterThreadOptions;
const poster = createPoster({
  resolver: cachingResolver(createResolver({ servers: dnsServers }), systemClock),
  clock: systemClock,
  allowPrivate,
  isOwnAddress: ownAddresses({ clock: systemClock, sendingIps }),
});
let unsent: FromPoster = [];

async function post({ number, request }: ToPoster[number]): Promise<void> {
  const response = await poster.post(request);
  if (unsent.push({ number, response }) > 1) return;
  setImmediate(() => {
    parentPort?.postMessage(unsent);
    unsent = [];
  });
}

parentPort?.on("message", (requests: ToPoster) => {
  for (const each of requests) void post(each);
});
