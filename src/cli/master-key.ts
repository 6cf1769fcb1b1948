/**
 * Exchanging the master key, while the service is stopped: a new key is made, everything sealed is sealed with it in one
 * transaction, and only then it takes the old one's place. Broken off anywhere, the same command goes on where it was.
 */
import { sealName } from "../delivery/signer.ts";
import { isThere } from "../places.ts";
import { exchangeKey, type Vault } from "../secrets.ts";
import { resealAll, type Sealed } from "../spool/sqlite/reseal.ts";
import { type Command, counted, Refusal } from "./command.ts";

const rotate: Command = {
  usage: "master-key rotate",
  about: "with the service stopped: make a new master key and seal all secrets with it",
  async run({ config }) {
    if (!isThere("CERTS_DIR", config.certsDir, "master.key"))
      throw new Refusal(`there is no master key in ${config.certsDir}`);
    const { current, next, finish } = exchangeKey(config.certsDir);
    const count = resealAll(config.dataDir, (sealed) => resealed(sealed, current, next));
    finish();
    const text = `${counted(count, "secret")} sealed with a new master key. Backups made before need the old one, which they hold.`;
    return { json: { resealed: count }, text };
  },
};

/** As the dashboard seals them. */
const totpSealName = (userId: string): string => `totp of ${userId}`;

export const masterKeyCommands = [rotate];

function resealed(sealed: Sealed, current: Vault, next: Vault): Buffer {
  const name = sealed.kind === "dkim" ? sealName(sealed.domain, sealed.selector) : totpSealName(sealed.userId);
  return next.seal(name, opened(name, sealed.bytes, [current, next]));
}

/** The last, broken off after its commit, has sealed everything with the next key already. */
function opened(name: string, bytes: Buffer, [first, ...others]: Vault[]): string {
  if (first === undefined)
    throw new Refusal(`the sealed value ${name} opens with neither key: put back the master.key that sealed it`);
  try {
    return first.open(name, bytes);
  } catch {
    return opened(name, bytes, others);
  }
}
