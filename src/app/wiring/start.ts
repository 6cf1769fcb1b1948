/** Starting the service as a program: prepares its directories, and describes a failure in one line that names the setting. */
import type { Config } from "../../config.ts";
import type { Logger } from "../../lib/log.ts";
import { describeStartFailure, prepareDirectory } from "../startup-checks.ts";
import { type Service, type ServiceHost, startService } from "./service.ts";

/** The service, or why it could not start. After a failure, parts of it may still run: the process should end. */
export async function tryStartService(config: Config, log: Logger, host: ServiceHost): Promise<Service | string> {
  try {
    prepareDirectory("DATA_DIR", config.dataDir);
    prepareDirectory("CERTS_DIR", config.certsDir);
    return await startService(config, log, host);
  } catch (error) {
    return describeStartFailure(error, config);
  }
}
