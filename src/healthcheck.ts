/**
 * The container's health check as a program: exit 0 if the service answers `/healthz`, else 1. It does not ask `/readyz`, because a
 * restart would fix none of the reasons there.
 */
import { existsSync } from "node:fs";
import { get as getHttp } from "node:http";
import { get as getHttps } from "node:https";
import { join } from "node:path";
import { type Config, readConfig } from "./config.ts";

const TIMEOUT_MS = 5000;
const ANY_ADDRESS: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function checkHealth({ host, port, certsDir, acme }: Config): void {
  const secure =
    acme?.servesHttp === true || ["http.crt", "http.key"].every((name) => existsSync(join(certsDir, name)));
  const where = { host: ANY_ADDRESS[host] ?? host, port, path: "/healthz", timeout: TIMEOUT_MS };
  // The certificate is for the public name, not for this address.
  const request = secure ? getHttps({ ...where, rejectUnauthorized: false }) : getHttp(where);
  request.on("response", ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
  request.on("timeout", () => request.destroy());
  request.on("error", () => process.exit(1));
}

checkHealth(readConfig(process.env, { secretFiles: false }));
