/**
 * The mail exchangers of the torture test: the simulator's peers over real sockets, one host for each recipient domain. They
 * record the simulator's history, and which service sent each message, by the name in its EHLO. A test can hold back the replies
 * to one service, and let hosts close idle connections.
 */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { FaultInjector } from "../simulate/fault-injector.ts";
import type { Delivery, History } from "../simulate/history.ts";
import type { PeerEnd } from "../simulate/network.ts";
import { Peer } from "../simulate/peers.ts";
import type { Prng } from "../simulate/prng.ts";
import type { Timeline } from "../simulate/virtual-time.ts";
import type { ZoneServer } from "../src/testing/zone-server.ts";

export const DOMAINS = ["d0.example", "d1.example", "d2.example", "d3.example"];

const EHLO = /^EHLO (\S+)\r\n/im;

const realTime: Timeline = {
  get nowMs() {
    return Date.now();
  },
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface ExchangerParts {
  prng: Prng;
  faults: FaultInjector;
  history: History;
  /** A connection without a byte for this time is closed: a reply without an end may have been sent. Never if absent. */
  idleMs?: number;
}

/** What waits to be sent to a service while its replies are held back. */
type HeldReplies = (() => void)[];

export class Exchangers {
  /** All of them listen on it. */
  port = 0;
  readonly #parts: ExchangerParts;
  /** By recipient domain. */
  readonly #servers = new Map<string, Server>();
  readonly #senders = new WeakMap<Delivery, string>();
  readonly #held = new Map<string, HeldReplies>();
  #connections = 0;

  constructor(parts: ExchangerParts) {
    this.#parts = parts;
  }

  /** Starts one host for each domain, and adds it to the zone. */
  async start(zone: ZoneServer): Promise<void> {
    for (const domain of DOMAINS) {
      this.port = await this.#listen(domain, this.port);
      zone.set(domain, "MX", [`10 mx.${domain}`]);
      zone.set(`mx.${domain}`, "A", [hostOf(domain)]);
    }
  }

  /** Makes the domain's exchanger refuse connections. */
  refuse(domain: string): void {
    this.#servers.get(domain)?.close();
  }

  async accept(domain: string): Promise<void> {
    await this.#listen(domain, this.port);
  }

  /** The EHLO name of the service that a message came from. */
  senderOf(delivery: Delivery): string | undefined {
    return this.#senders.get(delivery);
  }

  /** From now on nothing is sent to the service with this EHLO name. */
  holdReplies(sender: string): void {
    if (!this.#held.has(sender)) this.#held.set(sender, []);
  }

  /** Sends what was held back, and holds back nothing more. */
  releaseReplies(sender: string): void {
    const held = this.#held.get(sender) ?? [];
    this.#held.delete(sender);
    for (const send of held) send();
  }

  close(): void {
    for (const server of this.#servers.values()) server.close();
  }

  async #listen(domain: string, port: number): Promise<number> {
    const server = createServer({ noDelay: true }, (socket) => this.#serve(socket));
    this.#servers.set(domain, server);
    server.listen(port, hostOf(domain));
    await once(server, "listening");
    return (server.address() as { port: number }).port;
  }

  #serve(socket: Socket): void {
    const { deliveries } = this.#parts.history;
    let sender = "";
    const inTurn = (send: () => void): void => {
      const held = this.#held.get(sender);
      if (held === undefined) send();
      else held.push(send);
    };
    const end: PeerEnd = {
      send: (bytes) => inTurn(() => void socket.write(bytes)),
      close: (how) => inTurn(() => void (how === "end" ? socket.end() : socket.resetAndDestroy())),
      get isOpen() {
        return socket.writable;
      },
    };
    this.#connections += 1;
    const without = { trace: () => {}, loadRefusal: () => null };
    const peer = new Peer(end, { time: realTime, ...this.#parts, number: this.#connections, ...without });
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      if (sender === "") sender = EHLO.exec(bytes.toString("latin1"))?.[1] ?? "";
      const known = deliveries.length;
      peer.receive(bytes);
      for (const delivery of deliveries.slice(known)) this.#senders.set(delivery, sender);
    });
    socket.on("close", () => peer.closed());
    socket.setTimeout(this.#parts.idleMs ?? 0, () => socket.destroy());
  }
}

/** The address of a domain's exchanger. */
const hostOf = (domain: string): string => `127.0.7.${DOMAINS.indexOf(domain) + 1}`;
