/**
 * The container's health check as a program: whether the service beside it answers `/healthz`. Exit 0 it does, 1 it does
 * not. Whether mail can be accepted and delivered is `/readyz`'s to say: a restart would mend none of its reasons.
 */
import { existsSync } from "node:fs";
import { get as getHttp } from "node:http";
import { get as getHttps } from "node:https";
import { join } from "node:path";
import { type Config, readConfig } from "./config.ts";

const LIMIT_MS = 5000;
const ANY_ADDRESS: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function askHealth({ host, port, certsDir }: Config): void {
  const secure = ["http.crt", "http.key"].every((name) => existsSync(join(certsDir, name)));
  const where = { host: ANY_ADDRESS[host] ?? host, port, path: "/healthz", timeout: LIMIT_MS };
  // The certificate is for the name that clients use, not for this address.
  const request = secure ? getHttps({ ...where, rejectUnauthorized: false }) : getHttp(where);
  request.on("response", ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
  request.on("timeout", () => request.destroy());
  request.on("error", () => process.exit(1));
}

askHealth(readConfig(process.env, { secretFiles: false }));
