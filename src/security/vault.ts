/**
 * The master key and what it seals. DKIM private keys lie in the spool encrypted (AES-256-GCM), the key that opens
 * them in CERTS_DIR: a copied database alone cannot sign. The key's file has one line; while the key is being exchanged it
 * has two, the new one first: sealed is with the first, opened with either.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { renameNoReplace } from "../lib/rename-no-replace.ts";

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

type Keys = [Buffer, ...Buffer[]];

/** Seals with one key and opens with it or an older one; the name binds a sealed value to its place, so that two cannot be swapped. */
export class Vault {
  readonly #keys: Keys;

  constructor(...keys: Keys) {
    this.#keys = keys;
  }

  /** Whether an exchange of the key has begun and not ended. */
  get isBetweenKeys(): boolean {
    return this.#keys.length > 1;
  }

  /** `iv ‖ tag ‖ ciphertext`. */
  seal(name: string, plaintext: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#keys[0], iv).setAAD(Buffer.from(name));
    const ciphertext = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
  }

  /** Throws when the value was sealed with another key, under another name, or is damaged. */
  open(name: string, sealed: Uint8Array): string {
    for (const key of this.#keys) {
      const plaintext = opened(name, Buffer.from(sealed), key);
      if (plaintext !== null) return plaintext;
    }
    throw new Error(`the sealed key of ${name} does not open with certs/master.key: was that file replaced?`);
  }
}

function opened(name: string, bytes: Buffer, key: Buffer): string | null {
  try {
    const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES));
    decipher.setAAD(Buffer.from(name)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

const newKeyLine = (): string => `${randomBytes(KEY_BYTES).toString("base64")}\n`;

/**
 * Written whole under another name, so that a full disk leaves no damaged key behind; never replaced, so that when service and
 * command line start together one makes the key and both use it.
 */
function makeKey(file: string, line: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, line, { flag: "wx", mode: 0o600, flush: true });
    renameNoReplace(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

const keyFile = (certsDir: string): string => join(certsDir, "master.key");

/** The vault of CERTS_DIR/master.key, which is made at the first start (owner-only). Throws one line when it is damaged. */
export function openVault(certsDir: string): Vault {
  mkdirSync(certsDir, { recursive: true, mode: 0o700 });
  const file = keyFile(certsDir);
  if (!existsSync(file)) makeKey(file, newKeyLine());
  return new Vault(...keysIn(file));
}

/** Puts the text of a backup's master key in place, whole and on disk when this returns, unless there is a key already. */
export function putKey(certsDir: string, text: string): void {
  makeKey(keyFile(certsDir), text);
  syncDirectory(certsDir);
}

/**
 * Begins an exchange of the master key: a new key stands before the one in place, on disk when this returns. One that was
 * broken off is taken up instead. Only for whoever keeps everybody else from sealing meanwhile.
 */
export function beginExchange(certsDir: string): Vault {
  const file = keyFile(certsDir);
  if (keysIn(file).length === 1) replaceKeys(file, `${newKeyLine()}${readFileSync(file, "utf8").trim()}\n`);
  return new Vault(...keysIn(file));
}

/** Ends it, once all is sealed with the new key: the old one is forgotten. */
export function endExchange(certsDir: string): void {
  const file = keyFile(certsDir);
  replaceKeys(file, `${keysIn(file)[0].toString("base64")}\n`);
}

/** At each moment the file holds the old text or the new, whole, and belongs to whom it belonged to. */
function replaceKeys(file: string, text: string): void {
  const draft = `${file}.draft`;
  const { uid, gid } = statSync(file);
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { flag: "wx", mode: 0o600, flush: true });
  chownSync(draft, uid, gid);
  renameSync(draft, file);
  syncDirectory(join(file, ".."));
}

function syncDirectory(dir: string): void {
  const directory = openSync(dir, "r");
  fsyncSync(directory);
  closeSync(directory);
}

function keysIn(file: string): Keys {
  const lines = readFileSync(file, "utf8").trim().split(/\s+/);
  const [first = Buffer.alloc(0), ...others] = lines.map((line) => Buffer.from(line, "base64"));
  if ([first, ...others].some((key) => key.length !== KEY_BYTES)) {
    throw new Error(`${file} holds ${statSync(file).size} bytes that are not a master key: restore it from a backup`);
  }
  return [first, ...others];
}

/** The name that a DKIM private key is sealed under. */
export const dkimSealName = (domain: string, selector: string): string => `${selector}._domainkey.${domain}`;

/** The name that a user's TOTP secret is sealed under. */
export const totpSealName = (userId: string): string => `totp of ${userId}`;

/** Which sealed values the master key opens. */
export interface MasterKeyState {
  /** Domains whose DKIM key opens, and the names of those whose key does not. */
  domains: { opened: number; unopened: string[] };
  /** TOTP secrets that open, and those that do not. */
  secondFactors: { opened: number; unopened: number };
  /** Whether a rotation of the master key has begun and not ended. */
  isBetweenKeys: boolean;
}
