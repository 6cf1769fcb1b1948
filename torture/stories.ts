/** Every story, in the order they are told. */
import { attackers } from "./attackers.ts";
import { clockSteps } from "./clock-steps.ts";
import { crowds } from "./crowds.ts";
import { damagedPages } from "./damage.ts";
import { fullDisk, readOnlyDisk } from "./disks.ts";
import { stopUnderLoad, tornPage, twoServices } from "./ends.ts";
import { kill } from "./kill.ts";
import { overload } from "./overload.ts";
import { restoredBackup } from "./restored-backup.ts";
import { slowReplies } from "./slow-replies.ts";
import { spoolFiles } from "./spool-files.ts";
import type { Story } from "./story.ts";

export const stories: Story[] = [
  kill,
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
  crowds,
  attackers,
];
