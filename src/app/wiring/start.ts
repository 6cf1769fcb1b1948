/**
 * The start of a service as its person sees it: its directories made and looked at, and a failure told in one line that
 * names the setting behind it. What a process does then is left to main.ts.
 */
import type { Config } from "../../config.ts";
import type { Logger } from "../../lib/log.ts";
import { describeStartFailure, prepareDirectory } from "../startup-checks.ts";
import { type Service, type ServiceHost, startService } from "./service.ts";

/**
 * The service, or why there is none. After a failure some of its parts may still be there: the process should end.
 */
export async function tryStartService(config: Config, log: Logger, host: ServiceHost): Promise<Service | string> {
  try {
    prepareDirectory("DATA_DIR", config.dataDir);
    prepareDirectory("CERTS_DIR", config.certsDir);
    return await startService(config, log, host);
  } catch (error) {
    return describeStartFailure(error, config);
  }
}
