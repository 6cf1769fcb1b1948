/**
 * The network between the service and its peers: sockets as node:net's look to the SMTP client, with bytes that take time,
 * come in pieces, stall, or are cut off on the way. Who is at the other end of an address is peers.ts's.
 */
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { Connect } from "../src/delivery/smtp/connect.ts";
import type { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Weather } from "./weather.ts";

/** The peer's end of a connection. */
export interface PeerEnd {
  /** Bytes arrive for us after their time on the way. */
  send(bytes: Buffer): void;
  /** Closes in order, after what was sent; or at once, losing it. */
  close(how: "end" | "reset"): void;
  readonly isOpen: boolean;
}

/** What listens at an address. */
export interface PeerSide {
  receive(bytes: Buffer): void;
  closed(): void;
}

export interface NetworkParts {
  time: VirtualTime;
  chance: Chance;
  weather: Weather;
  /** Called for each connection that comes about; null: nobody listens. */
  answer: (address: string, end: PeerEnd) => PeerSide | null;
}

const LATENCY_MS = [0.2, 80] as const;
const SLOW_MS = [500, 400_000] as const;

/** What opens sockets for one life of the service. */
export function networkOf(life: Life, parts: NetworkParts): Connect {
  return ({ host }) => new Wire(host, life, parts).socket as unknown as Socket;
}

class Wire {
  readonly socket: OurEnd;
  readonly #parts: NetworkParts;
  readonly #life: Life;
  #peer: PeerSide | null = null;
  #isOpenForUs = true;
  #isOpenForPeer = false;
  /** When what was sent last arrives: nothing overtakes it. */
  #lastToPeerMs = 0;
  #lastToUsMs = 0;

  constructor(address: string, life: Life, parts: NetworkParts) {
    this.#parts = parts;
    this.#life = life;
    this.socket = new OurEnd(this);
    life.onDeath(() => this.closeFromUs(parts.chance.hit(0.7)));
    life.effect("connect", () => {
      parts.time.after(this.#latencyMs(), () => this.#connect(address));
    });
  }

  #connect(address: string): void {
    const { weather, chance, answer } = this.#parts;
    if (!this.#isOpenForUs) return;
    if (weather.strikes("connect_fails")) {
      if (chance.hit(0.7)) this.#tell("error", new Error("connect ECONNREFUSED"));
      return;
    }
    this.#isOpenForPeer = true;
    const wire = this;
    this.#peer = answer(address, {
      send: (bytes) => this.#sendToUs(bytes),
      close: (how) => this.#closeFromPeer(how),
      get isOpen() {
        return wire.#isOpenForPeer;
      },
    });
    if (this.#peer === null) this.#tell("error", new Error("connect ECONNREFUSED"));
    else this.#tell("connect");
  }

  sendToPeer(bytes: Buffer, taken?: (error?: Error) => void): void {
    if (!this.#isOpenForUs) return;
    const { time } = this.#parts;
    this.#life.effect("smtp", () => {
      for (const piece of this.#pieces(bytes)) {
        this.#lastToPeerMs = Math.max(this.#lastToPeerMs, time.nowMs + this.#latencyMs());
        time.after(this.#lastToPeerMs - time.nowMs, () => this.#arriveAtPeer(piece));
      }
      if (taken !== undefined) this.#life.after(this.#lastToPeerMs - time.nowMs, () => taken());
    });
  }

  /** Our end closes; what is under way arrives first, or is lost. */
  closeFromUs(loses: boolean): void {
    if (!this.#isOpenForUs) return;
    this.#isOpenForUs = false;
    const { time } = this.#parts;
    const gone = (): void => {
      if (!this.#isOpenForPeer) return;
      this.#isOpenForPeer = false;
      this.#peer?.closed();
    };
    if (loses && this.#parts.chance.hit(0.3)) gone();
    else time.after(Math.max(this.#lastToPeerMs - time.nowMs, 0) + this.#latencyMs(), gone);
  }

  #sendToUs(bytes: Buffer): void {
    if (!this.#isOpenForPeer) return;
    const { time } = this.#parts;
    for (const piece of this.#pieces(bytes)) {
      this.#lastToUsMs = Math.max(this.#lastToUsMs, time.nowMs + this.#latencyMs());
      time.after(this.#lastToUsMs - time.nowMs, () => this.#tell("data", piece));
    }
  }

  #closeFromPeer(how: "end" | "reset"): void {
    if (!this.#isOpenForPeer) return;
    this.#isOpenForPeer = false;
    const { time } = this.#parts;
    const tell = (): void => {
      if (how === "reset") this.#tell("error", new Error("read ECONNRESET"));
      else this.#tell("end");
    };
    if (how === "reset") time.after(this.#latencyMs(), tell);
    else time.after(Math.max(this.#lastToUsMs - time.nowMs, 0) + this.#latencyMs(), tell);
  }

  #arriveAtPeer(bytes: Buffer): void {
    if (!this.#isOpenForPeer) return;
    if (this.#parts.weather.strikes("net_cut")) {
      this.#isOpenForPeer = false;
      this.#peer?.closed();
      this.#parts.time.after(this.#latencyMs(), () => this.#tell("error", new Error("read ECONNRESET")));
      return;
    }
    this.#peer?.receive(bytes);
  }

  #tell(event: "connect" | "data" | "end" | "error", value?: Buffer | Error): void {
    this.#life.arrive(() => this.#tellNow(event, value));
  }

  #tellNow(event: "connect" | "data" | "end" | "error", value?: Buffer | Error): void {
    if (!this.#isOpenForUs || !this.#life.alive) return;
    if (event === "error" && this.socket.listenerCount("error") === 0) return;
    this.socket.emit(event, value);
  }

  #pieces(bytes: Buffer): Buffer[] {
    if (bytes.length < 2 || !this.#parts.weather.strikes("net_splits")) return [bytes];
    const at = this.#parts.chance.whole(1, bytes.length - 1);
    return [bytes.subarray(0, at), bytes.subarray(at)];
  }

  #latencyMs(): number {
    const { chance, weather } = this.#parts;
    return chance.spread(weather.strikes("net_slow") ? SLOW_MS : LATENCY_MS);
  }
}

/** As much of a net.Socket as the SMTP client uses. */
class OurEnd extends EventEmitter {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    super();
    this.#wire = wire;
  }

  write(bytes: Buffer, taken?: (error?: Error) => void): void {
    this.#wire.sendToPeer(bytes, taken);
  }

  destroy(): void {
    this.#wire.closeFromUs(true);
  }

  destroySoon(): void {
    this.#wire.closeFromUs(false);
  }
}
