/** TLS settings of old servers, for peers in tests. */
import { getDiffieHellman } from "node:crypto";
import type { SecureContextOptions, SecureVersion } from "node:tls";

/** Exactly one TLS version. */
export function onlyTls(version: SecureVersion): SecureContextOptions {
  return { minVersion: version, maxVersion: version, ciphers: WEAK };
}

/** Diffie-Hellman of 1024 bits, the smallest that Node supports. */
export function smallDiffieHellman(): SecureContextOptions {
  const prime = getDiffieHellman("modp2").getPrime();
  const parameters = der(
    0x30,
    Buffer.concat([der(0x02, Buffer.concat([Buffer.of(0), prime])), der(0x02, Buffer.of(2))]),
  );
  const pem = `-----BEGIN DH PARAMETERS-----\n${parameters.toString("base64")}\n-----END DH PARAMETERS-----\n`;
  return { maxVersion: "TLSv1.2", ciphers: "DHE-RSA-AES128-SHA:@SECLEVEL=0", dhparam: pem };
}

const WEAK = "ALL:@SECLEVEL=0";

/** Permits short keys and SHA-1. */
export const weakKeys: SecureContextOptions = { ciphers: WEAK, maxVersion: "TLSv1.2" };

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const header = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...header), content]);
}
