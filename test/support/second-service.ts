/** A second service in this process, next to a world's own or after it. */
import type { TestContext } from "node:test";
import { readConfig } from "../../src/config.ts";
import { silentLog } from "../../src/lib/log.ts";
import { type Service, startService } from "../../src/service/service.ts";

/** Starts the service with an environment, and stops it after the test. */
export async function startSecondService(t: TestContext, env: Record<string, string>): Promise<Service> {
  const service = await startService(readConfig(env), silentLog, {
    onFatal(error) {
      throw error;
    },
  });
  t.after(() => service.stop());
  return service;
}
