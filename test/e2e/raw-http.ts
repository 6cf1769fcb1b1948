/**
 * HTTP over a bare socket, for requests that no client library would send and for clients that send before they read.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawClient {
  /** Writes these bytes. Resolves when the kernel has accepted all of them, and rejects if the connection is closed. */
  write(bytes: string | Buffer): Promise<void>;
  /** Returns the next response, skipping interim ones (1xx). Rejects if the connection closes before it is complete. */
  answer(): Promise<Response>;
  end(): void;
}

/** Connects. Reads nothing before `answer` is called, like a client that sends first. */
export async function connectRaw(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  // Errors of the connection surface in `write` and `answer`.
  socket.on("error", () => {});
  let received = Buffer.alloc(0);
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    async answer() {
      for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        received = Buffer.concat([received, chunk]);
        const parsed = parseAnswer(received);
        if (parsed === null) continue;
        received = received.subarray(parsed.length);
        return parsed.response;
      }
      throw new Error(`the connection closed after ${JSON.stringify(received.toString("latin1"))}`);
    },
    end: () => void endQuietly(socket),
  };
}

/** Sends one request on a new connection. */
export async function exchange(url: string, bytes: string | Buffer): Promise<Response> {
  const client = await connectRaw(url);
  try {
    await client.write(bytes);
    return await client.answer();
  } finally {
    client.end();
  }
}

export interface RawRequest {
  method?: string;
  path?: string;
  /** Header lines besides Host. */
  headers: string[];
  body?: string;
}

/** Encodes a request with its characters as Latin-1; adds Content-Length for a body. */
export function requestBytes({ method = "POST", path = "/api/sending/send", headers, body }: RawRequest): Buffer {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body, "latin1")}`];
  const lines = [`${method} ${path} HTTP/1.1`, "Host: localhost", ...headers, ...length, "", body ?? ""];
  return Buffer.from(lines.join("\r\n"), "latin1");
}

function parseAnswer(bytes: Buffer): { response: Response; length: number } | null {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const [statusLine = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = Number(statusLine.split(" ")[1]);
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]),
  );
  const bodyStart = headEnd + 4;
  if (status < 200) {
    const next = parseAnswer(bytes.subarray(bodyStart));
    return next && { ...next, length: next.length + bodyStart };
  }
  const length = bodyStart + Number(headers.get("content-length") ?? 0);
  if (bytes.length < length) return null;
  return { response: new Response(new Uint8Array(bytes.subarray(bodyStart, length)), { status, headers }), length };
}

function endQuietly(socket: Socket): void {
  socket.destroy();
}
