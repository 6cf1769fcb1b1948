/**
 * A minimal HTTP/1.1 client connection, cheaper than a full client: sends prepared bytes and parses one response at a
 * time.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface HttpResponse {
  status: number;
  /** The value of the header field; null without it. */
  retryAfter: string | null;
  body: Record<string, unknown>;
}

export class HttpConnection {
  readonly #socket: Socket;
  #received = "";
  #settle: ((answer: HttpResponse | null) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => {});
    socket.on("close", () => this.#finish(null));
    socket.on("data", (chunk) => this.#receive(chunk));
  }

  /** Opens a connection. Returns null if it is refused. */
  static async open(port: number, host = "127.0.0.1"): Promise<HttpConnection | null> {
    const socket = connect({ host, port, noDelay: true });
    const connection = new HttpConnection(socket);
    const opened = await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => null);
    return opened === null || socket.destroyed ? null : connection;
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Writes a request. Returns its response, or null if the connection closes first. */
  request(bytes: string | Buffer): Promise<HttpResponse | null> {
    return new Promise((resolve) => {
      if (!this.isOpen) return resolve(null);
      this.#settle = resolve;
      this.#socket.write(bytes);
    });
  }

  /** Writes part of a request. */
  write(bytes: string): void {
    if (this.isOpen) this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received += chunk.toString("latin1");
    const headEnd = this.#received.indexOf("\r\n\r\n");
    if (headEnd === -1) return;
    const head = this.#received.slice(0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < headEnd + 4 + length) return;
    const text = this.#received.slice(headEnd + 4, headEnd + 4 + length);
    const status = Number(head.slice(9, 12));
    const retryAfter = /retry-after: (.*)/i.exec(head)?.[1] ?? null;
    this.#received = this.#received.slice(headEnd + 4 + length);
    this.#finish({ status, retryAfter, body: text === "" ? {} : JSON.parse(text) });
  }

  #finish(answer: HttpResponse | null): void {
    this.#settle?.(answer);
    this.#settle = null;
  }
}

/** Encodes a request. */
export function requestBytes(options: { path: string; key: string; body?: string; headers?: string[] }): string {
  const { path, key, body = "", headers = [] } = options;
  const lines = [
    `${body === "" ? "GET" : "POST"} ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
