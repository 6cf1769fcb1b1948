/**
 * Loaded first in the processes of the tests, except in CI: a password is hashed, and compared, at a sixtieth of its
 * cost, which nothing but the time can tell. Programs that the tests start are as they are.
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
