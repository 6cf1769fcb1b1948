/** An HTTP server on loopback that gives scripted responses, one after the other, and keeps the requests. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface ScriptedAnswer {
  /** 0 closes the connection, -1 never responds. */
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

interface ScriptedServer {
  url: string;
  requests: { line: string; headers: IncomingHttpHeaders; body: string }[];
}

export async function startScriptedServer(t: TestContext, answers: readonly ScriptedAnswer[]): Promise<ScriptedServer> {
  const requests: ScriptedServer["requests"] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = answers[requests.length] ?? { status: 500, body: "no more answers" };
    const { method, url, headers } = request;
    requests.push({ line: `${method} ${url}`, headers, body: Buffer.concat(chunks).toString() });
    if (answer.status === 0) request.socket.destroy();
    else if (answer.status > 0) response.writeHead(answer.status, answer.headers).end(answer.body ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
