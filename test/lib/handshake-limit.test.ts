/** A TLS server that sends more than the limit before the handshake is done, and one that does not. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { connectHttps, connectWithLimit, HANDSHAKE_OCTETS_MAX, TOO_LARGE } from "../../src/lib/handshake-limit.ts";
import { type KeyAndCertificate, selfSigned } from "../support/self-signed.ts";

const SMALL = selfSigned("localhost");
/** Certificates that have nothing to do with the server's own are sent all the same. */
const LARGE: KeyAndCertificate = { ...SMALL, cert: SMALL.cert.repeat(60) };

async function startServer(t: TestContext, identity: KeyAndCertificate): Promise<number> {
  const server = createServer(identity, (_, res) => res.end("x".repeat(2 * HANDSHAKE_OCTETS_MAX)));
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

describe("a handshake", () => {
  it("has a limit, and what follows it has none", async (t) => {
    const port = await startServer(t, SMALL);
    const socket = connectWithLimit(connect(port, "127.0.0.1"), { rejectUnauthorized: false });
    await once(socket, "secureConnect");
    socket.end("GET / HTTP/1.0\r\n\r\n");
    let octets = 0;
    for await (const chunk of socket) octets += chunk.length;
    assert.ok(octets > 2 * HANDSHAKE_OCTETS_MAX);
  });

  it("that is too large is an error of the socket, which is closed", async (t) => {
    const port = await startServer(t, LARGE);
    const plain = connect(port, "127.0.0.1");
    const socket = connectWithLimit(plain, { rejectUnauthorized: false });
    const [error] = (await once(socket, "error")) as [Error];
    assert.equal(error.message, TOO_LARGE);
    if (!plain.closed) await once(plain, "close");
    assert.ok(socket.destroyed);
  });
});

describe("an HTTPS request", () => {
  const ask = (port: number, ca?: string) =>
    new Promise<number | string>((resolve) => {
      const asking = request(
        { host: "localhost", port, createConnection: connectHttps, ...(ca === undefined ? {} : { ca }) },
        (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode ?? 0));
        },
      );
      asking.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      asking.end();
    });

  it("verifies the certificate, and has the limit", async (t) => {
    const port = await startServer(t, SMALL);
    assert.equal(await ask(port, SMALL.cert), 200);
    assert.equal(await ask(port), "DEPTH_ZERO_SELF_SIGNED_CERT");
    assert.equal(await ask(port, selfSigned("localhost").cert), "DEPTH_ZERO_SELF_SIGNED_CERT");
    assert.equal(await ask(await startServer(t, LARGE), SMALL.cert), TOO_LARGE);
    const other = selfSigned("other.test");
    assert.equal(await ask(await startServer(t, other), other.cert), "ERR_TLS_CERT_ALTNAME_INVALID");
  });
});
