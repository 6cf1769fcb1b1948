/** An app that receives webhooks on loopback: it keeps each request, and responds as the test says. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { Webhook } from "standardwebhooks";

interface ReceivedWebhook {
  headers: Record<string, string>;
  body: string;
  /** Whether the request is signed with this secret, and not only with another. */
  isSignedWith(secret: string): boolean;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** The next responses. */
  response: { status: number; body: string };
  /** Responses wait for it. */
  released: Promise<void>;
}

export async function startWebhookReceiver(t: TestContext): Promise<WebhookReceiver> {
  const receiver: WebhookReceiver = {
    url: "",
    received: [],
    response: { status: 204, body: "" },
    released: Promise.resolve(),
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("utf8");
    const headers = request.headers as Record<string, string>;
    receiver.received.push({ headers, body, isSignedWith: (secret) => verifies(secret, body, headers) });
    await receiver.released;
    response.writeHead(receiver.response.status).end(receiver.response.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  return receiver;
}

function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
