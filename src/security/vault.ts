/**
 * The master key, and sealing with it (AES-256-GCM). The spool stores DKIM private keys sealed, and CERTS_DIR holds the master
 * key, so a copied database cannot sign. The key's file has one line. During a rotation it has two, the new key first:
 * values are sealed with the first key and opened with either.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
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

/** 192 bits. */
const TOKEN_LENGTH = 32;

type Keys = [Buffer, ...Buffer[]];

/** Seals with the first key and opens with any. The name is authenticated with a value, so two sealed values cannot be swapped. */
export class Vault {
  readonly #keys: Keys;

  constructor(...keys: Keys) {
    this.#keys = keys;
  }

  /** Whether a rotation of the key has begun and not ended. */
  get isRotationUnfinished(): boolean {
    return this.#keys.length > 1;
  }

  /**
   * Identifies each key, without revealing anything about it: the MAC of a fixed text. Processes with the same master key have
   * one in common.
   */
  get fingerprints(): [string, ...string[]] {
    const [first, ...others] = this.#keys;
    return [fingerprint(first), ...others.map(fingerprint)];
  }

  /** The same keys, of which the one with this fingerprint seals; null if there is none. */
  sealingWith(wanted: string): Vault | null {
    const sealing = this.#keys.find((key) => fingerprint(key) === wanted);
    return sealing === undefined ? null : new Vault(sealing, ...this.#keys.filter((key) => key !== sealing));
  }

  /**
   * A secret of TOKEN_LENGTH characters (base64url), the same for every process with this key and purpose. Nothing follows from
   * it about the key, or about the token of another purpose.
   */
  token(purpose: string): string {
    const mac = createHmac("sha256", this.#keys[0]).update(`postrider token ${purpose}`).digest("base64url");
    return mac.slice(0, TOKEN_LENGTH);
  }

  /** `iv ‖ tag ‖ ciphertext`. */
  seal(name: string, plaintext: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#keys[0], iv).setAAD(Buffer.from(name));
    const ciphertext = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
  }

  /** Throws if the value was sealed with another key or under another name, or is damaged. */
  open(name: string, sealed: Uint8Array): string {
    for (const key of this.#keys) {
      const plaintext = decrypt(name, Buffer.from(sealed), key);
      if (plaintext !== null) return plaintext;
    }
    throw new Error(
      `the sealed value ${name} does not open with the key in master.key: put back the key that sealed it`,
    );
  }
}

/** Stored, so the text does not change. */
const fingerprint = (key: Buffer): string =>
  createHmac("sha256", key).update("postrider master key").digest("base64url");

function decrypt(name: string, bytes: Buffer, key: Buffer): string | null {
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
 * Writes the file under another name first, so a full disk leaves no damaged key behind. Never replaces an existing file: if the
 * service and the command line start at once, one of them makes the key and both use it.
 */
function writeNewKey(file: string, line: string): void {
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

/** Opens CERTS_DIR/master.key, and makes it (owner-only) if it does not exist. Throws one line if it is damaged. */
export function openVault(certsDir: string): Vault {
  mkdirSync(certsDir, { recursive: true, mode: 0o700 });
  const file = keyFile(certsDir);
  if (!existsSync(file)) writeNewKey(file, newKeyLine());
  return new Vault(...readKeys(file));
}

/** Writes the master key of a backup, unless there is a key; it is on disk when this returns. */
export function installMasterKey(certsDir: string, text: string): void {
  writeNewKey(keyFile(certsDir), text);
  syncDirectory(certsDir);
}

/**
 * Begins a rotation: writes a new key before the present one, on disk when this returns, or resumes an interrupted rotation. The
 * caller must hold the exclusive sealing lock.
 */
export function beginMasterKeyRotation(certsDir: string): Vault {
  const file = keyFile(certsDir);
  if (readKeys(file).length === 1) replaceKeys(file, `${newKeyLine()}${readFileSync(file, "utf8").trim()}\n`);
  return new Vault(...readKeys(file));
}

/** Ends a rotation by removing the old key; everything must be sealed with the new one. */
export function finishMasterKeyRotation(certsDir: string): void {
  const file = keyFile(certsDir);
  replaceKeys(file, `${readKeys(file)[0].toString("base64")}\n`);
}

/** Replaces the file atomically and keeps its owner. */
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

function readKeys(file: string): Keys {
  const lines = readFileSync(file, "utf8").trim().split(/\s+/);
  const [first = Buffer.alloc(0), ...others] = lines.map((line) => Buffer.from(line, "base64"));
  if ([first, ...others].some((key) => key.length !== KEY_BYTES)) {
    throw new Error(`${file} holds ${statSync(file).size} bytes that are not a master key: restore it from a backup`);
  }
  return [first, ...others];
}

/** The name under which a DKIM private key is sealed. */
export const dkimSealName = (domain: string, selector: string): string => `${selector}._domainkey.${domain}`;

/** The name under which a user's TOTP secret is sealed. */
export const totpSealName = (userId: string): string => `totp of ${userId}`;

/** The name under which a webhook endpoint's secret is sealed. */
export const webhookSealName = (endpointId: string): string => `webhook secret of ${endpointId}`;

/** The name under which a secret of the whole service is sealed. */
export const secretSealName = (name: string): string => `secret ${name}`;

/** Which sealed values the master key opens. */
export interface MasterKeyState {
  /** The number of domains whose DKIM key opens, and the names of the others. */
  domains: { opened: number; unopened: string[] };
  /** The numbers of TOTP secrets that open and that do not. */
  secondFactors: { opened: number; unopened: number };
  /** The numbers of webhook endpoints whose secret opens and does not. */
  webhooks: { opened: number; unopened: number };
  /** Whether a rotation of the master key has begun and not ended. */
  isRotationUnfinished: boolean;
}
