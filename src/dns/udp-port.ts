/**
 * A UDP port of this server to one DNS server, which several queries use: a socket for each costs more than all the rest of a
 * look-up. Forged replies must know the port and the id of a query (RFC 5452 §9.2), so a port is used for a few queries only.
 */
import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";

const QUERIES_MAX = 32;

/** A port without queries is kept so long. */
const IDLE_MS = 10_000;

/** What becomes of one query. */
export interface UdpQuery {
  id: number;
  bytes: Buffer;
  /** For every datagram of the server with this id. */
  onDatagram: (bytes: Buffer) => void;
  onError: (error: NodeJS.ErrnoException) => void;
}

export class UdpPort {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, UdpQuery>();
  /** Until the socket is connected. */
  #unsent: Buffer[] | null = [];
  #queries = 0;
  #retired = false;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ address, port }: { address: string; port: number }) {
    this.#socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("message", (bytes) => {
      if (bytes.length >= 2) this.#waiting.get(bytes.readUInt16BE(0))?.onDatagram(bytes);
    });
    // A connected socket receives datagrams from that server only.
    this.#socket.on("connect", () => this.#sendAll());
    this.#socket.connect(port, address);
  }

  accepts(id: number): boolean {
    return !this.#retired && this.#queries < QUERIES_MAX && !this.#waiting.has(id);
  }

  /** Returns how to end the query. */
  send(query: UdpQuery): () => void {
    this.#queries += 1;
    this.#waiting.set(query.id, query);
    this.#socket.ref();
    if (this.#unsent === null) this.#write(query.bytes);
    else this.#unsent.push(query.bytes);
    return () => {
      this.#waiting.delete(query.id);
      if (this.#waiting.size === 0) this.#rest();
    };
  }

  /** No further query uses the port: its address may be one that this server no longer has. */
  retire(): void {
    this.#retired = true;
    if (this.#waiting.size === 0) this.#rest();
  }

  /** A port without queries keeps no process alive; one that is used no more is closed. */
  #rest(): void {
    if (this.#retired || this.#queries >= QUERIES_MAX) {
      this.#close();
      return;
    }
    this.#socket.unref();
    this.#idle ??= setTimeout(() => this.#endIdle(), IDLE_MS).unref();
    this.#idle.refresh();
  }

  #endIdle(): void {
    if (this.#waiting.size === 0) this.retire();
  }

  #sendAll(): void {
    const unsent = this.#unsent ?? [];
    this.#unsent = null;
    for (const bytes of unsent) this.#write(bytes);
  }

  #write(bytes: Buffer): void {
    // An error of an earlier datagram is that of the next one as well, if it is sent at once.
    this.#socket.send(bytes, (error) => {
      if (error !== null) this.#fail(error);
    });
  }

  /** Such as ECONNREFUSED, where the server's port is closed: no reply comes to any of the queries. */
  #fail(error: NodeJS.ErrnoException): void {
    if (this.#closed) return;
    this.#retired = true;
    for (const { onError } of [...this.#waiting.values()]) onError(error);
    this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#idle);
    this.#socket.close();
  }
}
