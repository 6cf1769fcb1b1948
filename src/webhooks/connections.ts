/**
 * Connections to endpoints over HTTP and HTTPS. Decides how long and how many idle connections are kept; target-policy.ts decides
 * which addresses are connected to.
 */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { KEY_EXCHANGE } from "../lib/tls-key-exchange.ts";

/** Shorter than the 5 s of Node's and other servers, so that they seldom close a connection that is about to be used. */
const IDLE_MS = 4000;
const IDLE_PER_ORIGIN_MAX = 16;
const IDLE_TOTAL_MAX = 128;
/** Before the next address of a host is tried. Node's default of 250 ms is too short for a distant host. */
const ADDRESS_LIMIT_MS = 2000;

export interface ConnectionOptions {
  lookup: LookupFunction;
  /** Trust anchors in PEM instead of the built-in ones. */
  ca?: string;
  /** 128 unless given. */
  idleTotalMax?: number;
}

interface Agents {
  /** Uses an idle connection to the same origin, if there is one. */
  keepAlive: HttpAgent;
  /** Makes a connection for one request. */
  fresh: HttpAgent;
}

export class Connections {
  readonly #idleTotalMax: number;
  readonly #http: Agents;
  readonly #https: Agents;

  constructor({ lookup, ca, idleTotalMax = IDLE_TOTAL_MAX }: ConnectionOptions) {
    this.#idleTotalMax = idleTotalMax;
    const fresh = { lookup, autoSelectFamilyAttemptTimeout: ADDRESS_LIMIT_MS, ...(ca === undefined ? {} : { ca }) };
    const keepAlive = { ...fresh, keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_PER_ORIGIN_MAX };
    this.#http = { keepAlive: this.#limited(new HttpAgent(keepAlive)), fresh: new HttpAgent(fresh) };
    this.#https = {
      keepAlive: this.#limited(new HttpsAgent({ ...keepAlive, ...KEY_EXCHANGE })),
      fresh: new HttpsAgent({ ...fresh, ...KEY_EXCHANGE }),
    };
  }

  agents(isTls: boolean): Agents {
    return isTls ? this.#https : this.#http;
  }

  /** Closes all connections. */
  close(): void {
    for (const { keepAlive, fresh } of [this.#http, this.#https]) {
      keepAlive.destroy();
      fresh.destroy();
    }
  }

  /** At the limit, a connection that has been idle for long is closed. Node limits idle connections of each origin only. */
  #limited(agent: HttpAgent): HttpAgent {
    const keepSocketAlive = agent.keepSocketAlive.bind(agent);
    agent.keepSocketAlive = (socket: Duplex) => {
      const idle = [this.#http, this.#https].flatMap(({ keepAlive }) => idleSockets(keepAlive));
      if (idle.length >= this.#idleTotalMax) idle[0]?.destroy();
      // Returns whether to keep the socket, although the declared type is void.
      return keepSocketAlive(socket);
    };
    return agent;
  }
}

/** Roughly the longest idle first: an origin's entry is removed when none of its connections is idle. */
function idleSockets({ freeSockets }: HttpAgent): Duplex[] {
  return Object.values(freeSockets).flatMap((sockets) => sockets ?? []);
}
