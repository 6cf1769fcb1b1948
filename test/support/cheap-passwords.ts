/**
 * Preloaded into the test processes, except in CI: hashing and verifying a password costs a sixtieth of the usual CPU
 * time. Programs that tests start use the usual cost.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const N = 1024;
const { scrypt } = crypto;

type Scrypt = (...args: Parameters<typeof scrypt>) => void;
const cheap: Scrypt = (password, salt, keylen, options, callback) =>
  scrypt(password, salt, keylen, { ...options, N: Math.min(options.N ?? N, N) }, callback);

Object.assign(crypto, { scrypt: cheap });
syncBuiltinESMExports();
