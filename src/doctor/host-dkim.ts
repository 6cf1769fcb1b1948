/** Whether the public half of HOST_DKIM_KEY_FILE is in DNS, where receivers look for it to verify the second signature. */
import { createPublicKey } from "node:crypto";
import { checkDkim } from "../domains/dkim.ts";
import { type ReadSigningKey, readSigningKey, rsaBits } from "../security/signing-key-file.ts";
import type { DoctorInput, Finding } from "./finding.ts";

const check = "host_dkim";

const OFF =
  "HOST_DKIM_DOMAIN is not set: messages are signed only for their sender's domain. Set it for feedback loops that are registered by the signing domain.";

const BITS_ADVISED = 2048;

export async function checkHostDkim({ config: { hostDkim }, resolver }: DoctorInput): Promise<Finding> {
  if (hostDkim === null) return { check, state: "ok", detail: OFF };
  const { domain: name, selector, keyFile, privateKey } = hostDkim;
  const read: ReadSigningKey = privateKey === null ? readSigningKey(keyFile) : { type: "key", key: privateKey };
  if (read.type !== "key") {
    const detail = `HOST_DKIM_KEY_FILE=${keyFile} ${read.fault}. The service does not start unless it can read a valid key there.`;
    return { check, state: read.type === "unreadable" ? "unclear" : "problem", detail };
  }
  const publicKey = createPublicKey(read.key).export({ type: "spki", format: "der" }).toString("base64");
  const { state, detail, warnings = [] } = await checkDkim({ name, selector, publicKey }, { resolver });
  if (state === "temporary_failure") return { check, state: "unclear", detail };
  if (state !== "verified")
    return { check, state: "warning", detail: `Receivers cannot verify the signatures of ${name}. ${detail}` };
  const bits = rsaBits(read.key);
  if (bits < BITS_ADVISED) return { check, state: "warning", detail: `${detail} ${shortKey(bits)}` };
  return { check, state: warnings.length > 0 ? "warning" : "ok", detail };
}

const shortKey = (bits: number): string => `The key has ${bits} bits: make one of ${BITS_ADVISED}.`;
