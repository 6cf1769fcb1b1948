/**
 * Feeds each connection's bytes to Node's HTTP parser in slices, and stops feeding once the response to an unread body is
 * sent.
 *
 * Node parses all of a read, up to 64 KiB, at once: 11,000 chunks of one byte take 10 ms or more, during which no request can
 * be answered, not even the one at fault; and it reads from all connections before anything else runs. Therefore
 *
 * - after a slice that ends within a chunked body the other connections get their turn;
 * - connections that have not shown a valid key share a few milliseconds of each turn of the event loop: hundreds that send at
 *   the same moment do not hold up those that have;
 * - when a response ends a connection, the rest of the request is discarded unparsed. Closing at once would reset the
 *   connection, and a client that is still sending would not see its response.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A 4 KB message fits with its header. */
const SLICE_BYTES = 8 * 1024;

/** How long a client that is still sending may pause once the server has closed its side. */
const LINGER_IDLE_MS = 2000;
/** How long it may send on in all. */
const LINGER_MS = 5000;

/** Of each turn of the event loop, for connections that have not shown a valid key. */
const UNKNOWN_MS = 5;

/** What connections without a valid key have taken of this turn of the event loop. */
const turn = {
  takenMs: 0,
  take(ms: number): void {
    if (this.takenMs === 0) setImmediate(() => (this.takenMs = 0));
    this.takenMs += ms;
  },
};

type OnData = (this: Socket, chunk: Buffer) => void;

class Feed {
  readonly #socket: Socket;
  readonly #parse: OnData;
  /** The last request of this connection; null while none is under way, see high-churn maps in passing-map.ts. */
  last: IncomingMessage | null = null;
  /** Whether a request of this connection had a valid key. */
  isKnown = false;
  #discards = false;
  #yields = false;

  constructor(socket: Socket, parse: OnData) {
    this.#socket = socket;
    this.#parse = parse;
  }

  take(chunk: Buffer): void {
    if (this.#discards) return;
    const isLate = !this.isKnown && turn.takenMs > UNKNOWN_MS;
    // Where it yields already, Node has resumed the connection on its own: a request's body is read on.
    if (this.#yields || isLate) {
      if (!this.#yields) this.#yield();
      this.#putBack(chunk);
      return;
    }
    const startMs = this.isKnown ? 0 : performance.now();
    this.#parseSlices(chunk);
    if (startMs > 0) turn.take(performance.now() - startMs);
  }

  #parseSlices(chunk: Buffer): void {
    const socket = this.#socket;
    for (let at = 0; !this.#discards && !socket.destroyed; ) {
      const end = at + SLICE_BYTES;
      this.#parse.call(socket, chunk.length <= SLICE_BYTES ? chunk : chunk.subarray(at, end));
      if (end >= chunk.length) return;
      at = end;
      if (this.#isWithinChunkedBody()) this.#yield();
      // Node pauses a connection whose pipelined responses are not read, and resumes it later.
      else if (!socket.isPaused()) continue;
      this.#putBack(chunk.subarray(at));
      return;
    }
  }

  /** From here on bytes are discarded. The connection ends with the client's side of it, or after a while. */
  discard(): void {
    if (this.#discards) return;
    this.#discards = true;
    const socket = this.#socket;
    socket.setTimeout(LINGER_IDLE_MS);
    const cut = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(cut));
    // The parser has stopped the reading if nothing took the body.
    this.last?.resume();
    socket.resume();
  }

  #isWithinChunkedBody(): boolean {
    return this.last?.complete === false && this.last.headers["transfer-encoding"] !== undefined;
  }

  /** Has the rest come again in the next turn of the event loop. */
  #yield(): void {
    this.#yields = true;
    setImmediate(() => {
      this.#yields = false;
      this.#socket.resume();
    });
  }

  #putBack(chunk: Buffer): void {
    this.#socket.pause().unshift(chunk);
  }
}

const feeds = new WeakMap<Duplex, Feed>();

/** Discards whatever still comes on a connection whose last answer is written. */
export function discardRest(socket: Duplex): void {
  feeds.get(socket)?.discard();
}

/** Notes that a connection has shown a valid key. */
export function markKnown(socket: Duplex): void {
  const feed = feeds.get(socket);
  if (feed !== undefined) feed.isKnown = true;
}

/** Puts a feed in front of the parser of each connection; `event` is the one that brings the sockets requests have. */
export function feedInSlices(server: Server, event: "connection" | "secureConnection"): void {
  server.on(event, (socket: Socket) => {
    const [parse] = socket.listeners("data") as OnData[];
    if (parse === undefined) throw new Error("this version of Node does not parse a connection's data events");
    const feed = new Feed(socket, parse);
    feeds.set(socket, feed);
    // A listener of ours takes the connection off Node's short cut from the socket to the parser: 2 microseconds a request.
    socket.on("data", (chunk: Buffer) => feed.take(chunk));
    socket.off("data", parse);
    socket.destroySoon = () => {
      socket.end();
      feed.discard();
    };
  });
  server.prependListener("request", (request: IncomingMessage) => {
    const feed = feeds.get(request.socket);
    if (feed === undefined) return;
    feed.last = request;
    request.once("close", () => {
      if (feed.last === request) feed.last = null;
    });
  });
}
