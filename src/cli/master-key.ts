/** Commands that replace the master key, with the service stopped. */
import { replaceLostMasterKey, rotateMasterKey } from "../app/rotate-master-key.ts";
import { type BareContext, type Command, type CommandResult, pluralize } from "./command.ts";

const rotate: Command = {
  usage: "master-key rotate",
  summary: "with the service stopped: make a new master key and seal all secrets with it",
  async run({ installation }) {
    const { resealed, unopened } = await rotateMasterKey(installation);
    const lines = [
      `${pluralize(resealed, "secret")} sealed with a new master key. Backups made before need the old one; they hold it unless made with --without-master-key.`,
    ];
    if (unopened > 0) lines.push(`Left unchanged: ${pluralize(unopened, "former secret")} that no master key opens.`);
    return { json: { resealed, unopened }, text: lines.join("\n") };
  },
};

const renew: Command = {
  usage: "master-key new",
  summary: "with the service stopped and the master key lost for good: make another, which opens no old secret",
  run: makeNewKey,
  runWithoutMasterKey: makeNewKey,
};

async function makeNewKey({ installation }: BareContext): Promise<CommandResult> {
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

export const masterKeyCommands = [rotate, renew];
