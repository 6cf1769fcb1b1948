/** All scenarios, in the order in which they run. */
import { attackers } from "./attackers.ts";
import { bounces } from "./bounces.ts";
import { clockSteps } from "./clock-steps.ts";
import { cluster } from "./cluster.ts";
import { connectionFloods } from "./connection-floods.ts";
import { damagedPages } from "./damaged-pages.ts";
import { fullDisk, readOnlyDisk } from "./disks.ts";
import { feedback } from "./feedback.ts";
import { kill } from "./kill.ts";
import { limitedPeer } from "./limited-peer.ts";
import { overload } from "./overload.ts";
import { restoredBackup } from "./restored-backup.ts";
import type { Scenario } from "./scenario.ts";
import { stopUnderLoad, tornPage, twoServices } from "./shutdown.ts";
import { slowReplies } from "./slow-replies.ts";
import { spoolFiles } from "./spool-files.ts";
import { strangers } from "./strangers.ts";
import { submission } from "./submission.ts";
import { webhookBacklog } from "./webhook-backlog.ts";
import { webhooks } from "./webhooks.ts";

export const scenarios: Scenario[] = [
  kill,
  submission,
  bounces,
  webhooks,
  fullDisk,
  readOnlyDisk,
  stopUnderLoad,
  slowReplies,
  twoServices,
  tornPage,
  damagedPages,
  restoredBackup,
  spoolFiles,
  clockSteps,
  overload,
  connectionFloods,
  attackers,
  strangers,
  feedback,
  webhookBacklog,
  cluster,
  limitedPeer,
];
