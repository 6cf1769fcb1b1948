/** The key exchanges of TLS clients, with servers that offer one alone. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { it, type TestContext } from "node:test";
import { connect, createServer, type SecureContextOptions } from "node:tls";
import { KEY_EXCHANGE } from "../../src/lib/tls-key-exchange.ts";
import { smallDiffieHellman } from "../support/legacy-tls.ts";
import { selfSigned } from "../support/self-signed.ts";

/** The key exchange of a handshake; null if there is none that both support. */
async function agreed(t: TestContext, options: SecureContextOptions): Promise<unknown> {
  const server = createServer({ ...selfSigned("mx.example.test"), ...options }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...KEY_EXCHANGE });
  t.after(() => socket.destroy());
  return new Promise((resolve) => {
    socket.once("secureConnect", () => resolve((socket.getEphemeralKeyInfo() as { name?: string } | null)?.name ?? ""));
    socket.once("error", () => resolve(null));
  });
}

it("curves are offered, and primes are not", async (t) => {
  assert.equal(await agreed(t, { ecdhCurve: "X25519" }), "X25519");
  assert.equal(await agreed(t, { ecdhCurve: "P-521" }), "secp521r1");
  assert.equal(await agreed(t, { ecdhCurve: "ffdhe2048", minVersion: "TLSv1.3" }), null);
  assert.equal(await agreed(t, smallDiffieHellman()), null);
});
