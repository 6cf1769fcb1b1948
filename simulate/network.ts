/**
 * The network between the service and its peers: sockets that behave like those of node:net towards the SMTP client.
 * Bytes take time, arrive in pieces, stall, or are lost when the connection breaks. peers.ts plays the hosts.
 */
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { Connect } from "../src/delivery/smtp/connect.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { Incarnation } from "./incarnation.ts";
import type { Prng } from "./prng.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The peer's end of a connection. */
export interface PeerEnd {
  /** Sends bytes to the service; they arrive after the latency. */
  send(bytes: Buffer): void;
  /** `end` closes after the sent bytes; `reset` closes at once and loses them. */
  close(how: "end" | "reset"): void;
  readonly isOpen: boolean;
}

/** Handles the events of a connection at a peer. */
export interface PeerHandler {
  receive(bytes: Buffer): void;
  closed(): void;
}

export interface NetworkOptions {
  time: VirtualTime;
  prng: Prng;
  faults: FaultInjector;
  /** Called for each established connection; null if no peer listens at the address. */
  accept: (address: string, end: PeerEnd) => PeerHandler | null;
  /** Whether connections to the address are never answered; absent if all are. */
  isSilent?: (address: string) => boolean;
}

const LATENCY_MS = [0.2, 80] as const;
const SLOW_MS = [500, 400_000] as const;

/** Creates the function that opens sockets for one process incarnation. */
export function createNetwork(incarnation: Incarnation, parts: NetworkOptions): Connect {
  return ({ host }) => new Connection(host, incarnation, parts).socket as unknown as Socket;
}

class Connection {
  readonly socket: ServiceSocket;
  readonly #options: NetworkOptions;
  readonly #incarnation: Incarnation;
  #peer: PeerHandler | null = null;
  #isServiceOpen = true;
  #isPeerOpen = false;
  /** When the last sent bytes arrive; later bytes never overtake them. */
  #lastPeerArrivalMs = 0;
  #lastServiceArrivalMs = 0;

  constructor(address: string, incarnation: Incarnation, parts: NetworkOptions) {
    this.#options = parts;
    this.#incarnation = incarnation;
    this.socket = new ServiceSocket(this);
    incarnation.onDeath(() => this.closeService(parts.prng.chance(0.7)));
    incarnation.effect("connect", () => {
      parts.time.after(this.#latencyMs(), () => this.#connect(address));
    });
  }

  #connect(address: string): void {
    const { faults, prng, accept: answer } = this.#options;
    if (!this.#isServiceOpen || this.#options.isSilent?.(address) === true) return;
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

  sendToPeer(bytes: Buffer, onSent?: (error?: Error) => void): void {
    if (!this.#isServiceOpen) return;
    const { time } = this.#options;
    this.#incarnation.effect("smtp", () => {
      for (const piece of this.#split(bytes)) {
        this.#lastPeerArrivalMs = Math.max(this.#lastPeerArrivalMs, time.nowMs + this.#latencyMs());
        time.after(this.#lastPeerArrivalMs - time.nowMs, () => this.#arriveAtPeer(piece));
      }
      if (onSent !== undefined) this.#incarnation.after(this.#lastPeerArrivalMs - time.nowMs, () => onSent());
    });
  }

  /** Closes the service's end. Bytes in transit arrive first, or are lost. */
  closeService(loses: boolean): void {
    if (!this.#isServiceOpen) return;
    this.#isServiceOpen = false;
    const { time } = this.#options;
    this.#incarnation.after(0, () => this.socket.emit("close"));
    const closed = (): void => {
      if (!this.#isPeerOpen) return;
      this.#isPeerOpen = false;
      this.#peer?.closed();
    };
    if (loses && this.#options.prng.chance(0.3)) closed();
    else time.after(Math.max(this.#lastPeerArrivalMs - time.nowMs, 0) + this.#latencyMs(), closed);
  }

  #sendToService(bytes: Buffer): void {
    if (!this.#isPeerOpen) return;
    const { time } = this.#options;
    for (const piece of this.#split(bytes)) {
      this.#lastServiceArrivalMs = Math.max(this.#lastServiceArrivalMs, time.nowMs + this.#latencyMs());
      time.after(this.#lastServiceArrivalMs - time.nowMs, () => this.#emit("data", piece));
    }
  }

  #closePeer(how: "end" | "reset"): void {
    if (!this.#isPeerOpen) return;
    this.#isPeerOpen = false;
    const { time } = this.#options;
    const emit = (): void => {
      if (how === "reset") this.#emit("error", new Error("read ECONNRESET"));
      else this.#emit("end");
    };
    if (how === "reset") time.after(this.#latencyMs(), emit);
    else time.after(Math.max(this.#lastServiceArrivalMs - time.nowMs, 0) + this.#latencyMs(), emit);
  }

  #arriveAtPeer(bytes: Buffer): void {
    if (!this.#isPeerOpen) return;
    if (this.#options.faults.occurs("net_cut")) {
      this.#isPeerOpen = false;
      this.#peer?.closed();
      this.#options.time.after(this.#latencyMs(), () => this.#emit("error", new Error("read ECONNRESET")));
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
    if (bytes.length < 2 || !this.#options.faults.occurs("net_splits")) return [bytes];
    const at = this.#options.prng.integer(1, bytes.length - 1);
    return [bytes.subarray(0, at), bytes.subarray(at)];
  }

  #latencyMs(): number {
    const { prng, faults } = this.#options;
    return prng.logUniform(faults.occurs("net_slow") ? SLOW_MS : LATENCY_MS);
  }
}

/** The part of net.Socket that the SMTP client uses. */
class ServiceSocket extends EventEmitter {
  readonly #connection: Connection;

  constructor(wire: Connection) {
    super();
    this.#connection = wire;
  }

  write(bytes: Buffer, onSent?: (error?: Error) => void): void {
    this.#connection.sendToPeer(bytes, onSent);
  }

  destroy(): void {
    this.#connection.closeService(true);
  }

  destroySoon(): void {
    this.#connection.closeService(false);
  }
}
