/**
 * Feeds each connection's bytes to Node's HTTP parser in slices, and stops feeding once the answer to an unread body is
 * sent.
 *
 * Node parses all of a read, up to 64 KiB, at once: 11,000 chunks of one byte take 10 ms or more, during which no request can
 * be answered, not even the one at fault. After a slice that ends within a chunked body the other connections get their turn.
 * When a response ends a connection, the rest of the request is discarded unparsed: closing at once would reset the
 * connection, and a client that is still sending would not see its answer.
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

type OnData = (this: Socket, chunk: Buffer) => void;

class Feed {
  readonly #socket: Socket;
  readonly #parse: OnData;
  /** The last request of this connection; null while none is under way, see high-churn maps in passing-map.ts. */
  last: IncomingMessage | null = null;
  #discards = false;

  constructor(socket: Socket, parse: OnData) {
    this.#socket = socket;
    this.#parse = parse;
  }

  take(chunk: Buffer): void {
    const socket = this.#socket;
    for (let at = 0; !this.#discards && !socket.destroyed; ) {
      const end = at + SLICE_BYTES;
      this.#parse.call(socket, chunk.length <= SLICE_BYTES ? chunk : chunk.subarray(at, end));
      if (end >= chunk.length) return;
      at = end;
      // Node pauses a connection whose pipelined responses are not read; it resumes it later.
      const isPaused = socket.isPaused();
      if (!isPaused && !this.#isWithinChunkedBody()) continue;
      if (!isPaused) this.#yield();
      socket.unshift(chunk.subarray(at));
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

  #yield(): void {
    this.#socket.pause();
    setImmediate(() => this.#socket.resume());
  }
}

const feeds = new WeakMap<Duplex, Feed>();

/** Discards whatever still comes on a connection whose last answer is written. */
export function discardRest(socket: Duplex): void {
  feeds.get(socket)?.discard();
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
