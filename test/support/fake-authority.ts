/** An ACME server that responds as a test says, over HTTPS. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { certificateAuthority } from "./self-signed.ts";

/** `url` is that of the server. */
export type Respond = (req: IncomingMessage, res: ServerResponse, url: string) => void;

/** Starts it, and stops it after the test. `ca` is what verifies the server itself. */
export async function startAuthority(t: TestContext, respond: Respond): Promise<{ url: string; ca: string }> {
  const authority = certificateAuthority();
  const server = createServer(authority.issue("localhost"), (req, res) => respond(req, res, url));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url, ca: authority.cert };
}

export function json(res: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  res.writeHead(status, { "Content-Type": "application/json", "Replay-Nonce": "nonce", ...headers });
  res.end(JSON.stringify(body));
}

/** A directory and nonces; then `rest` responds, at /account to registrations and at /order to new orders. */
export const upToOrder =
  (rest: Respond): Respond =>
  (req, res, url) => {
    const directory = { newNonce: `${url}/nonce`, newAccount: `${url}/account`, newOrder: `${url}/order` };
    if (req.url === "/dir") json(res, 200, directory);
    else if (req.url === "/nonce") json(res, 200, {});
    else rest(req, res, url);
  };
