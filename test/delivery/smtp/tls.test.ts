/** The TLS versions and ciphers that a handshake accepts, with real servers that offer nothing better. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TOO_LARGE } from "../../../src/lib/handshake-limit.ts";
import { onlyTls, smallDiffieHellman, weakKeys } from "../../support/legacy-tls.ts";
import type { ScriptedSmtpOptions } from "../../support/scripted-smtp.ts";
import { selfSigned, weakSelfSigned } from "../../support/self-signed.ts";
import { open, openOrFail, startPeer } from "./fixture.ts";

const NAME = "mx.example.test";
const TLS = selfSigned(NAME);
const WEAK = weakSelfSigned(NAME);

const OLD: [name: string, protocol: string, peer: ScriptedSmtpOptions][] = [
  ["TLS 1.0 alone", "TLSv1", { tls: TLS, tlsOptions: onlyTls("TLSv1") }],
  ["TLS 1.1 alone", "TLSv1.1", { tls: TLS, tlsOptions: onlyTls("TLSv1.1") }],
  ["TLS 1.0, RSA of 1024 bits and SHA-1", "TLSv1", { tls: WEAK, tlsOptions: onlyTls("TLSv1") }],
];
const WEAK_BUT_MODERN: [name: string, protocol: string, peer: ScriptedSmtpOptions][] = [
  ["RSA of 1024 bits and SHA-1", "TLSv1.2", { tls: WEAK, tlsOptions: weakKeys }],
];

describe("opportunistic TLS", () => {
  for (const [name, protocol, options] of [...OLD, ...WEAK_BUT_MODERN]) {
    it(`accepts ${name} at the first handshake`, async (t) => {
      const peer = await startPeer(t, options);
      const session = await openOrFail(peer);
      assert.deepEqual([session.tls?.protocol, session.peer?.protocol], [protocol, protocol]);
      assert.deepEqual([session.fallback, session.notes, peer.connections], ["none", [], 1]);
      session.destroy();
    });
  }

  it("uses the newest version that both support", async (t) => {
    const both = { minVersion: "TLSv1", ciphers: "ALL:@SECLEVEL=0" } as const;
    for (const [tlsOptions, protocol] of [
      [{}, "TLSv1.3"],
      [{ ...both, maxVersion: "TLSv1.2" }, "TLSv1.2"],
      [{ ...both, maxVersion: "TLSv1.1" }, "TLSv1.1"],
    ] as const) {
      const session = await openOrFail(await startPeer(t, { tls: TLS, tlsOptions }));
      assert.equal(session.tls?.protocol, protocol);
      session.destroy();
    }
  });

  it("accepts no anonymous and no unencrypted cipher", async (t) => {
    for (const ciphers of ["aNULL:@SECLEVEL=0", "eNULL:@SECLEVEL=0"]) {
      const peer = await startPeer(t, { tls: TLS, tlsOptions: { ciphers, maxVersion: "TLSv1.2" } });
      assert.equal((await open(peer)).type, "tls_failed", ciphers);
    }
  });
});

/** A handshake with a prime of 8192 bits would take the event loop for a third of a second. */
describe("a key exchange over a prime", () => {
  for (const tls of ["opportunistic", "required"] as const) {
    it(`is not accepted where TLS is ${tls}`, async (t) => {
      const newest = { ecdhCurve: "ffdhe8192", minVersion: "TLSv1.3" } as const;
      for (const options of [
        { tls: WEAK, tlsOptions: smallDiffieHellman() },
        { tls: TLS, tlsOptions: newest },
      ]) {
        const peer = await startPeer(t, options);
        assert.equal((await open(peer, { tls })).type, "tls_failed");
      }
    });
  }
});

/** OpenSSL verifies whatever certificates it receives, on the event loop. */
describe("a handshake with very many certificates", () => {
  const large: ScriptedSmtpOptions = { tls: { ...TLS, cert: TLS.cert.repeat(60) } };

  it("is not accepted, and its session is closed", async (t) => {
    const peer = await startPeer(t, large);
    for (const tls of ["opportunistic", "required"] as const) {
      const opened = await open(peer, { tls });
      assert.deepEqual([opened.type, "error" in opened && opened.error], ["tls_failed", TOO_LARGE]);
    }
  });

  it("is recorded for a familiar address, as is a small one for each", async (t) => {
    const sizes: string[] = [];
    const history = (isFamiliar: boolean) => ({ isFamiliar, record: (size: string) => void sizes.push(size) });
    for (const [peer, isFamiliar] of [
      [await startPeer(t, large), true],
      [await startPeer(t, { tls: TLS }), true],
      [await startPeer(t, { tls: TLS }), false],
    ] as const) {
      (await openOrFail(peer, { handshakes: history(isFamiliar) })).destroy();
    }
    assert.deepEqual(sizes, ["large", "small", "small"]);
  });
});

describe("TLS required by a policy", () => {
  for (const [name, , options] of OLD) {
    it(`rejects ${name}`, async (t) => {
      const peer = await startPeer(t, options);
      assert.equal((await open(peer, { tls: "required" })).type, "tls_failed");
      assert.equal(peer.connections, 1);
    });
  }

  it("accepts TLS 1.2 and 1.3", async (t) => {
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const peer = await startPeer(t, { tls: TLS, tlsOptions: { minVersion: version, maxVersion: version } });
      const session = await openOrFail(peer, { tls: "required" });
      assert.deepEqual([session.tls?.protocol, session.peer?.strength], [version, "strict"]);
      session.destroy();
    }
  });
});
