/**
 * The master key and what it seals. DKIM private keys lie in the spool encrypted (AES-256-GCM), the key that opens
 * them in CERTS_DIR: a copied database alone cannot sign.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals and opens with one key; the name binds a sealed value to its place, so that two cannot be swapped. */
export class Vault {
  #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** `iv ‖ tag ‖ ciphertext`. */
  seal(name: string, plaintext: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, iv).setAAD(Buffer.from(name));
    const ciphertext = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
  }

  /** Throws when the value was sealed with another key, under another name, or is damaged. */
  open(name: string, sealed: Uint8Array): string {
    const bytes = Buffer.from(sealed);
    const iv = bytes.subarray(0, IV_BYTES);
    const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv("aes-256-gcm", this.#key, iv).setAAD(Buffer.from(name)).setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
    } catch {
      throw new Error(`the sealed key of ${name} does not open with certs/master.key: was that file replaced?`);
    }
  }
}

/**
 * Written whole under another name, so that a full disk leaves no damaged key behind; linked, so that when service and
 * command line start together one makes the key and both use it.
 */
function makeKey(file: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${randomBytes(KEY_BYTES).toString("base64")}\n`, { flag: "wx", mode: 0o600, flush: true });
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * The vault of CERTS_DIR/master.key, which is made at the first start (owner-only). Throws one line when it is damaged, or
 * when an exchange of the key was broken off.
 */
export function openVault(certsDir: string): Vault {
  mkdirSync(certsDir, { recursive: true, mode: 0o700 });
  const file = join(certsDir, "master.key");
  if (existsSync(nextKeyFile(certsDir))) {
    throw new Error(`the master key in ${certsDir} was being exchanged: run postrider master-key rotate again`);
  }
  if (!existsSync(file)) makeKey(file);
  return vaultOf(file);
}

/**
 * Both keys while the master key is being exchanged: the one in place, and the next, which is made unless an exchange that
 * was broken off has left one. `finish` puts the next in place.
 */
export function exchangeKey(certsDir: string): { current: Vault; next: Vault; finish: () => void } {
  const file = join(certsDir, "master.key");
  const nextFile = nextKeyFile(certsDir);
  const current = vaultOf(file);
  if (!existsSync(nextFile)) makeKey(nextFile);
  const finish = (): void => {
    renameSync(nextFile, file);
    const directory = openSync(certsDir, "r");
    fsyncSync(directory);
    closeSync(directory);
  };
  return { current, next: vaultOf(nextFile), finish };
}

const nextKeyFile = (certsDir: string): string => join(certsDir, "master.key.next");

function vaultOf(file: string): Vault {
  const key = Buffer.from(readFileSync(file, "utf8").trim(), "base64");
  if (key.length !== KEY_BYTES) {
    throw new Error(`${file} holds ${statSync(file).size} bytes that are not a master key: restore it from a backup`);
  }
  return new Vault(key);
}
