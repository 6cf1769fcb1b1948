/**
 * Feeds each connection's bytes to Node's HTTP parser in slices, and stops feeding once the response to an unread body is
 * sent.
 *
 * Node parses all of a read, up to 64 KiB, at once: 11,000 chunks of one byte take 10 ms or more, during which no request can
 * be answered, not even the one at fault; and it reads from all connections before anything else runs. Therefore
 *
 * - after a slice that ends within a chunked body the other connections get their turn;
 * - of each turn of the event loop, connections that have not shown a valid key share a few milliseconds, and those of one account
 *   have a few; whoever has spent them waits in a queue that serves addresses and accounts in turn (feed-scheduler.ts);
 * - when a response ends a connection, the rest of the request is discarded unparsed. Closing at once would reset the
 *   connection, and a client that is still sending would not see its response.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { clientNetwork, peerAddress } from "../../lib/client-address.ts";
import { FeedScheduler } from "./feed-scheduler.ts";

/** A 4 KB message fits with its header. */
const SLICE_BYTES = 8 * 1024;

/** How long a client that is still sending may pause once the server has closed its side. */
const LINGER_IDLE_MS = 2000;
/** How long it may send on in all. */
const LINGER_MS = 5000;

type OnData = (this: Socket, chunk: Buffer) => void;

class Feed {
  /** Who spends the time that it takes to parse: an account, or an address. */
  owner: string;
  /** Whether a request of this connection had a valid key. */
  isKnown = false;
  /** The last request of this connection; null while none is under way, see high-churn maps in passing-map.ts. */
  last: IncomingMessage | null = null;
  readonly #socket: Socket;
  readonly #parse: OnData;
  readonly #scheduler: FeedScheduler;
  #heldBytes = 0;
  #waits = false;
  /** Its turn has come, whatever its owner has spent. */
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
    // While it waits, Node may resume the connection on its own: a request's body is read on.
    if (this.#waits) {
      this.#putBack(chunk);
      return;
    }
    this.#isServed = false;
    const startMs = performance.now();
    this.#parseSlices(chunk);
    this.#scheduler.spend(this, performance.now() - startMs);
  }

  /** Called by the scheduler when it is its turn: the bytes that were put back come again. */
  serve(): void {
    this.#waits = false;
    this.#isServed = true;
    this.#socket.resume();
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

  #parseSlices(chunk: Buffer): void {
    const socket = this.#socket;
    for (let at = 0; !this.#discards && !socket.destroyed; ) {
      const end = at + SLICE_BYTES;
      this.#parse.call(socket, chunk.length <= SLICE_BYTES ? chunk : chunk.subarray(at, end));
      if (end >= chunk.length) return;
      at = end;
      if (this.#isWithinChunkedBody()) this.#wait();
      // Node pauses a connection whose pipelined responses are not read, and resumes it later.
      else if (!socket.isPaused()) continue;
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

  /** Has the bytes come again once the connection is resumed, unless too many are held for others already. */
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

/** Discards whatever still comes on a connection whose last answer is written. */
export function discardRest(socket: Duplex): void {
  feeds.get(socket)?.discard();
}

/** Notes that a connection has shown a valid key of an account. */
export function markKnown(socket: Duplex, accountId: string): void {
  const feed = feeds.get(socket);
  if (feed === undefined) return;
  feed.isKnown = true;
  feed.owner = accountId;
}

/** Puts a feed in front of the parser of each connection; `event` is the one that brings the sockets requests have. */
export function feedInSlices(server: Server, event: "connection" | "secureConnection"): void {
  const scheduler = new FeedScheduler();
  server.on(event, (socket: Socket) => {
    const [parse] = socket.listeners("data") as OnData[];
    if (parse === undefined) throw new Error("this version of Node does not parse a connection's data events");
    const feed = new Feed(socket, parse, scheduler);
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
