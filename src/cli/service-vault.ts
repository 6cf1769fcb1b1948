/** The condition of commands that seal or open what the service uses: the master key must be the service's. */
import { hasMasterKey } from "../app/installation/master-key.ts";
import { type CommandContext, Refusal } from "./command.ts";

/**
 * Rejects with a Refusal if there is no master key although something is sealed. With a new key, the service could not open what
 * the command seals: messages of a domain would wait, and webhooks would not be signed.
 */
export async function requireServiceVault(context: CommandContext): Promise<void> {
  const { config, installation } = context;
  if (hasMasterKey(installation)) return;
  const sealed = await sealedBefore(context);
  if (sealed === null) return;
  const fault = `CERTS_DIR=${config.certsDir} has no master.key, and ${sealed} are sealed with one`;
  throw new Refusal(`${fault}: set CERTS_DIR to the service's`);
}

async function sealedBefore({ store }: CommandContext): Promise<string | null> {
  for (const { id } of await store.accounts()) {
    if ((await store.domains(id)).length > 0) return "the domains' keys";
  }
  return (await store.endpoints(null)).length > 0 ? "the secrets of webhook endpoints" : null;
}
