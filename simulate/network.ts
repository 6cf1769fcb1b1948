/**
 * The network between the service and its peers: sockets as node:net's look to the SMTP client, with bytes that take time,
 * come in pieces, stall, or are cut off on the way. Who is at the other end of an address is peers.ts's.
 */
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { Connect } from "../src/delivery/smtp/connection.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { Incarnation } from "./incarnation.ts";
import type { Prng } from "./prng.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The peer's end of a connection. */
export interface PeerEnd {
  /** Bytes arrive for us after their time on the way. */
  send(bytes: Buffer): void;
  /** Closes in order, after what was sent; or at once, losing it. */
  close(how: "end" | "reset"): void;
  readonly isOpen: boolean;
}

/** What listens at an address. */
export interface PeerHandler {
  receive(bytes: Buffer): void;
  closed(): void;
}

export interface NetworkOptions {
  time: VirtualTime;
  prng: Prng;
  faults: FaultInjector;
  /** Called for each connection that comes about; null: nobody listens. */
  accept: (address: string, end: PeerEnd) => PeerHandler | null;
}

const LATENCY_MS = [0.2, 80] as const;
const SLOW_MS = [500, 400_000] as const;

/** What opens sockets for one life of the service. */
export function createNetwork(incarnation: Incarnation, parts: NetworkOptions): Connect {
  return ({ host }) => new Connection(host, incarnation, parts).socket as unknown as Socket;
}

class Connection {
  readonly socket: ServiceSocket;
  readonly #parts: NetworkOptions;
  readonly #incarnation: Incarnation;
  #peer: PeerHandler | null = null;
  #isServiceOpen = true;
  #isPeerOpen = false;
  /** When what was sent last arrives: nothing overtakes it. */
  #lastPeerArrivalMs = 0;
  #lastServiceArrivalMs = 0;

  constructor(address: string, incarnation: Incarnation, parts: NetworkOptions) {
    this.#parts = parts;
    this.#incarnation = incarnation;
    this.socket = new ServiceSocket(this);
    incarnation.onDeath(() => this.closeService(parts.prng.chance(0.7)));
    incarnation.effect("connect", () => {
      parts.time.after(this.#latencyMs(), () => this.#connect(address));
    });
  }

  #connect(address: string): void {
    const { faults, prng, accept: answer } = this.#parts;
    if (!this.#isServiceOpen) return;
    if (faults.occurs("connect_fails")) {
      if (prng.chance(0.7)) this.#emit("error", new Error("connect ECONNREFUSED"));
      return;
    }
    this.#isPeerOpen = true;
    const connection = this;
    this.#peer = answer(address, {
      send: (bytes) => this.#sendToService(bytes),
      close: (how) => this.#closePeer(how),
      get isOpen() {
        return connection.#isPeerOpen;
      },
    });
    if (this.#peer === null) this.#emit("error", new Error("connect ECONNREFUSED"));
    else this.#emit("connect");
  }

  sent(bytes: Buffer, taken?: (error?: Error) => void): void {
    if (!this.#isServiceOpen) return;
    const { time } = this.#parts;
    this.#incarnation.effect("smtp", () => {
      for (const piece of this.#split(bytes)) {
        this.#lastPeerArrivalMs = Math.max(this.#lastPeerArrivalMs, time.nowMs + this.#latencyMs());
        time.after(this.#lastPeerArrivalMs - time.nowMs, () => this.#arriveAtPeer(piece));
      }
      if (taken !== undefined) this.#incarnation.after(this.#lastPeerArrivalMs - time.nowMs, () => taken());
    });
  }

  /** Our end closes; what is under way arrives first, or is lost. */
  closeService(loses: boolean): void {
    if (!this.#isServiceOpen) return;
    this.#isServiceOpen = false;
    const { time } = this.#parts;
    const closed = (): void => {
      if (!this.#isPeerOpen) return;
      this.#isPeerOpen = false;
      this.#peer?.closed();
    };
    if (loses && this.#parts.prng.chance(0.3)) closed();
    else time.after(Math.max(this.#lastPeerArrivalMs - time.nowMs, 0) + this.#latencyMs(), closed);
  }

  #sendToService(bytes: Buffer): void {
    if (!this.#isPeerOpen) return;
    const { time } = this.#parts;
    for (const piece of this.#split(bytes)) {
      this.#lastServiceArrivalMs = Math.max(this.#lastServiceArrivalMs, time.nowMs + this.#latencyMs());
      time.after(this.#lastServiceArrivalMs - time.nowMs, () => this.#emit("data", piece));
    }
  }

  #closePeer(how: "end" | "reset"): void {
    if (!this.#isPeerOpen) return;
    this.#isPeerOpen = false;
    const { time } = this.#parts;
    const tell = (): void => {
      if (how === "reset") this.#emit("error", new Error("read ECONNRESET"));
      else this.#emit("end");
    };
    if (how === "reset") time.after(this.#latencyMs(), tell);
    else time.after(Math.max(this.#lastServiceArrivalMs - time.nowMs, 0) + this.#latencyMs(), tell);
  }

  #arriveAtPeer(bytes: Buffer): void {
    if (!this.#isPeerOpen) return;
    if (this.#parts.faults.occurs("net_cut")) {
      this.#isPeerOpen = false;
      this.#peer?.closed();
      this.#parts.time.after(this.#latencyMs(), () => this.#emit("error", new Error("read ECONNRESET")));
      return;
    }
    this.#peer?.receive(bytes);
  }

  #emit(event: "connect" | "data" | "end" | "error", value?: Buffer | Error): void {
    this.#incarnation.whenAwake(() => this.#emitNow(event, value));
  }

  #emitNow(event: "connect" | "data" | "end" | "error", value?: Buffer | Error): void {
    if (!this.#isServiceOpen || !this.#incarnation.isAlive) return;
    if (event === "error" && this.socket.listenerCount("error") === 0) return;
    this.socket.emit(event, value);
  }

  #split(bytes: Buffer): Buffer[] {
    if (bytes.length < 2 || !this.#parts.faults.occurs("net_splits")) return [bytes];
    const at = this.#parts.prng.integer(1, bytes.length - 1);
    return [bytes.subarray(0, at), bytes.subarray(at)];
  }

  #latencyMs(): number {
    const { prng, faults } = this.#parts;
    return prng.logUniform(faults.occurs("net_slow") ? SLOW_MS : LATENCY_MS);
  }
}

/** As much of a net.Socket as the SMTP client uses. */
class ServiceSocket extends EventEmitter {
  readonly #connection: Connection;

  constructor(wire: Connection) {
    super();
    this.#connection = wire;
  }

  write(bytes: Buffer, taken?: (error?: Error) => void): void {
    this.#connection.sent(bytes, taken);
  }

  destroy(): void {
    this.#connection.closeService(true);
  }

  destroySoon(): void {
    this.#connection.closeService(false);
  }
}
