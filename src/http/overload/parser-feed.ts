/**
 * Feeds each connection's bytes to Node's HTTP parser in slices, and stops feeding once the response to an unread body is
 * sent.
 *
 * Node parses all of a read, up to 64 KiB, at once: 11,000 chunks of one byte take 10 ms or more, during which no request can
 * be answered. It also reads from all connections before anything else runs. Therefore
 *
 * - a slice that ends within a chunked body lets the other connections run;
 * - in each turn of the event loop, connections without a valid key share a few milliseconds, and those of one account share a
 *   few; a connection beyond that waits in a queue that serves addresses and accounts fairly (feed-scheduler.ts);
 * - when a response closes a connection, the rest of the request is discarded unparsed. Closing at once would reset the
 *   connection, and a client that is still sending would not see its response.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { clientNetwork, peerAddress } from "../../lib/client-address.ts";
import { FeedScheduler } from "./feed-scheduler.ts";

/** Holds a 4 KB message with its header. The body of a request with a Content-Length is not sliced: parsing it takes no time. */
const SLICE_BYTES = 8 * 1024;

/** How long a client that is still sending may pause once the server has closed its side. */
const LINGER_IDLE_MS = 2000;
/** How long it may go on sending in total. */
const LINGER_MS = 5000;

type OnData = (this: Socket, chunk: Buffer) => void;

class Feed {
  /** The account or address that the parsing time is charged to. */
  owner: string;
  /** Whether a request of this connection had a valid key. */
  isKnown = false;
  /** The last request of this connection. Null while none is running, so that old tables do not keep it (high-churn-map.ts). */
  last: IncomingMessage | null = null;
  readonly #socket: Socket;
  readonly #parse: OnData;
  readonly #scheduler: FeedScheduler;
  #heldBytes = 0;
  /** At least this much of the body of the last request is still to be parsed. */
  #bodyBytesLeft = 0;
  #waits = false;
  /** Whether the scheduler serves this connection now, whatever its owner has spent. */
  #isServed = false;
  #discards = false;

  constructor(socket: Socket, parse: OnData, scheduler: FeedScheduler) {
    this.owner = `address ${clientNetwork(peerAddress(socket))}`;
    this.#socket = socket;
    this.#parse = parse;
    this.#scheduler = scheduler;
    socket.once("close", () => this.#hold(0));
  }

  take(chunk: Buffer): void {
    this.#hold(0);
    if (this.#discards) return;
    if (!this.#waits && !this.#isServed && this.#scheduler.isSpent(this)) this.#wait();
    // Node may resume a waiting connection itself, when an endpoint reads the body.
    if (this.#waits) {
      this.#putBack(chunk);
      return;
    }
    this.#isServed = false;
    const startMs = performance.now();
    this.#parseSlices(chunk);
    this.#scheduler.spend(this, performance.now() - startMs);
  }

  /** Called for each new request, with the length of its body; 0 if it is unknown. */
  begin(request: IncomingMessage, bodyBytes: number): void {
    this.last = request;
    // The slice being parsed may contain the start of the body.
    this.#bodyBytesLeft = bodyBytes - SLICE_BYTES;
  }

  /** Called by the scheduler: the bytes that were put back are read again. */
  serve(): void {
    this.#waits = false;
    this.#isServed = true;
    this.#socket.resume();
  }

  /** Discards all further bytes. The connection ends when the client closes its side, or after LINGER_MS. */
  discard(): void {
    if (this.#discards) return;
    this.#discards = true;
    const socket = this.#socket;
    socket.setTimeout(LINGER_IDLE_MS);
    const cut = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(cut));
    // The parser pauses a connection whose body is not read.
    this.last?.resume();
    socket.resume();
  }

  #parseSlices(chunk: Buffer): void {
    const socket = this.#socket;
    for (let at = 0; !this.#discards && !socket.destroyed; ) {
      const end = Math.min(at + Math.max(SLICE_BYTES, this.#bodyBytesLeft), chunk.length);
      this.#bodyBytesLeft -= end - at;
      this.#parse.call(socket, at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
      if (end === chunk.length) return;
      at = end;
      // Node pauses a connection whose pipelined responses or whose body are not read, and resumes it later. It asserts that
      // no other code does.
      if (!socket.isPaused()) {
        if (!this.#isWithinChunkedBody()) continue;
        this.#wait();
      }
      this.#putBack(chunk.subarray(at));
      return;
    }
  }

  #isWithinChunkedBody(): boolean {
    return this.last?.complete === false && this.last.headers["transfer-encoding"] !== undefined;
  }

  #wait(): void {
    this.#waits = true;
    this.#scheduler.add(this);
  }

  /** Puts the bytes back until the connection is resumed. Closes the connection if too many bytes are held already. */
  #putBack(chunk: Buffer): void {
    this.#hold(chunk.length);
    if (this.#scheduler.holdsTooMuch(this, chunk.length)) this.#socket.destroy();
    else this.#socket.pause().unshift(chunk);
  }

  #hold(sizeBytes: number): void {
    this.#scheduler.heldBytes += sizeBytes - this.#heldBytes;
    this.#heldBytes = sizeBytes;
  }
}

const feeds = new WeakMap<Duplex, Feed>();

/** Discards all further bytes of a connection whose last response is written. */
export function discardRest(socket: Duplex): void {
  feeds.get(socket)?.discard();
}

/** Records that a connection has sent a valid key of an account. */
export function markKnown(socket: Duplex, accountId: string): void {
  const feed = feeds.get(socket);
  if (feed === undefined) return;
  feed.isKnown = true;
  feed.owner = accountId;
}

/** Puts a feed before the parser of each connection. `event`: the event whose sockets the requests have. */
export function feedInSlices(server: Server, event: "connection" | "secureConnection"): void {
  const scheduler = new FeedScheduler();
  server.on(event, (socket: Socket) => {
    const [parse] = socket.listeners("data") as OnData[];
    if (parse === undefined) throw new Error("this version of Node does not parse a connection's data events");
    const feed = new Feed(socket, parse, scheduler);
    feeds.set(socket, feed);
    // A listener disables Node's direct path from the socket to the parser. This costs 2 µs a request.
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
    feed.begin(request, Number(request.headers["content-length"] ?? 0));
    request.once("close", () => {
      if (feed.last === request) feed.last = null;
    });
  });
}
