/**
 * The key exchanges that our TLS clients offer. Finite-field Diffie-Hellman is not offered: the server chooses its prime, OpenSSL accepts
 * primes of up to 10,000 bits, and a handshake with such a prime blocks the event loop for a second. The others take milliseconds.
 */
import { DEFAULT_CIPHERS } from "node:tls";

const CURVES = "X25519:P-256:P-384:P-521";

/** Since OpenSSL 3.5. An older one is not asked: an unknown name stays in its error queue, and the next call fails with it. */
const POST_QUANTUM = "X25519MLKEM768";

const [major = 0, minor = 0] = process.versions.openssl.split(".").map(Number);
const hasPostQuantum = major > 3 || (major === 3 && minor >= 5);

/** Options of a TLS client. */
export const KEY_EXCHANGE = {
  ciphers: `${DEFAULT_CIPHERS}:!DHE`,
  ecdhCurve: hasPostQuantum ? `${POST_QUANTUM}:${CURVES}` : CURVES,
} as const;
