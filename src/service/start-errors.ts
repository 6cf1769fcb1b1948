/** Starting the service as a program: prepares its directories, and describes a failure in one line that names the setting. */

import { describeStartFailure, prepareDirectory } from "../app/installation/startup-checks.ts";
import { type Config, ConfigError } from "../config.ts";
import { withDocumentAddresses } from "../lib/document-address.ts";
import type { Logger } from "../lib/log.ts";
import { type Service, type ServiceHost, startService } from "./service.ts";

/**
 * The service, or why it could not start. After a failure, parts of it may still run: the process should end. Rejects with
 * ConfigError if DATABASE_URL is not valid.
 */
export async function tryStartService(config: Config, log: Logger, host: ServiceHost): Promise<Service | string> {
  try {
    prepareDirectory("CERTS_DIR", config.certsDir);
    return await startService(config, log, host);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    return withDocumentAddresses(describeStartFailure(error, config), config.isPublicUrlSet ? config.publicUrl : null);
  }
}
