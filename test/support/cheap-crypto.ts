/**
 * Preloaded into the test processes: a password costs a sixtieth of the usual CPU time, and a DKIM key is one of a few that were
 * generated before the run, in turn. Programs that tests start pay the usual cost, and so does a test file that is run by itself.
 */
import crypto, { type KeyObject } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const N = 1024;
const FILE = "rsa-keys.json";
/** More than any test compares with one another. */
const KEYS = 8;
const RSA_BITS = 2048;
/** A key takes time still, for what is tested to wait for it. */
const KEY_MS = 50;

const { scrypt, generateKeyPair, createPrivateKey, createPublicKey } = crypto;

/** Generates the keys of a run, in a directory. */
export async function storeRsaKeys(directory: string): Promise<void> {
  const generate = promisify(generateKeyPair);
  const pairs = await Promise.all(Array.from({ length: KEYS }, () => generate("rsa", { modulusLength: RSA_BITS })));
  const pems = pairs.map(({ privateKey }) => privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(join(directory, FILE), JSON.stringify(pems));
}

/** Replaces functions of node:crypto in this process. */
export function makeCryptoCheap(directory: string): void {
  Object.assign(crypto, { scrypt: cheapScrypt });
  const path = join(directory, FILE);
  if (existsSync(path)) {
    const pems = JSON.parse(readFileSync(path, "utf8")) as string[];
    Object.assign(crypto, { generateKeyPair: storedKeyPairs(pems) });
  }
  syncBuiltinESMExports();
}

type Scrypt = (...args: Parameters<typeof scrypt>) => void;
const cheapScrypt: Scrypt = (password, salt, keylen, options, callback) =>
  scrypt(password, salt, keylen, { ...options, N: Math.min(options.N ?? N, N) }, callback);

interface KeyOptions {
  modulusLength?: number;
  publicKeyEncoding?: Parameters<KeyObject["export"]>[0];
  privateKeyEncoding?: Parameters<KeyObject["export"]>[0];
}
type Pair = Record<"publicKey" | "privateKey", unknown>;

/** As generateKeyPair, of which the service uses the promise alone. */
function storedKeyPairs(pems: readonly string[]): typeof generateKeyPair {
  let next = process.pid;
  const generate = promisify(generateKeyPair) as (type: string, options: KeyOptions) => Promise<Pair>;
  const stored = async (type: string, options: KeyOptions): Promise<Pair> => {
    if (type !== "rsa" || options.modulusLength !== RSA_BITS) return generate(type, options);
    await delay(KEY_MS);
    next += 1;
    const privateKey = createPrivateKey(pems[next % pems.length] as string);
    const publicKey = createPublicKey(privateKey);
    const { publicKeyEncoding, privateKeyEncoding } = options;
    return {
      publicKey: publicKeyEncoding === undefined ? publicKey : publicKey.export(publicKeyEncoding),
      privateKey: privateKeyEncoding === undefined ? privateKey : privateKey.export(privateKeyEncoding),
    };
  };
  const replaced = Object.assign((...args: unknown[]) => Reflect.apply(generateKeyPair, null, args), {
    [promisify.custom]: stored,
  });
  return replaced as unknown as typeof generateKeyPair;
}
