/** Commands that replace the master key, with the service stopped. */
import { hasMasterKey } from "../app/installation/master-key.ts";
import { replaceLostMasterKey, rotateMasterKey } from "../app/installation/rotate-master-key.ts";
import { type BareContext, type CommandResult, type Implementation, pluralize } from "./command.ts";

export const rotateKey: Implementation = {
  async run({ installation, confirm }) {
    await confirm("Seal all secrets with a new master key? Backups made before need the old one.");
    const { resealed, unopened } = await rotateMasterKey(installation);
    const lines = [
      `${pluralize(resealed, "secret")} sealed with a new master key. Backups made before need the old one; they hold it unless made with --without-master-key.`,
    ];
    if (unopened > 0) lines.push(`Left unchanged: ${pluralize(unopened, "former secret")} that no master key opens.`);
    return { json: { resealed, unopened }, text: lines.join("\n") };
  },
};

export const renewKey: Implementation = {
  run: makeNewKey,
  runWithoutMasterKey: makeNewKey,
};

async function makeNewKey({ installation, confirm }: BareContext): Promise<CommandResult> {
  if (!hasMasterKey(installation))
    await confirm("Make a new master key? What was sealed with a lost one cannot be opened any more.");
  const { domains, secondFactors, webhooks } = await replaceLostMasterKey(installation);
  const lost = {
    domains: domains.unopened,
    second_factors: secondFactors.unopened,
    webhooks: webhooks.unopened,
  };
  const lines = [
    `Made a new master key in ${installation.certsDir}. It does not open secrets sealed with an earlier key:`,
    `- second factors of ${pluralize(lost.second_factors, "user")}: turn each off with "users reset-second-factor EMAIL".`,
    `- DKIM keys of ${pluralize(lost.domains.length, "domain")}: after the start, make a new key for each domain in the dashboard and publish its record. Messages from the domain wait until the record is found.`,
    `- secrets of ${pluralize(lost.webhooks, "webhook endpoint")}: run "webhooks rotate ID" for each and give its receiver the new secret. Events wait until then.`,
  ];
  return { json: lost, text: lines.join("\n") };
}
