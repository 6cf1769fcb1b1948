/** Every story, in the order they are told. */
import { attackers } from "./attackers.ts";
import { clockSteps } from "./clock-steps.ts";
import { crowds } from "./crowds.ts";
import { fullDisk, readOnlyDisk } from "./disks.ts";
import { stopUnderLoad, tornPage, twoServices } from "./ends.ts";
import { kill } from "./kill.ts";
import { overload } from "./overload.ts";
import { restoredBackup } from "./restored-backup.ts";
import type { Story } from "./story.ts";

export const stories: Story[] = [
  kill,
  fullDisk,
  readOnlyDisk,
  stopUnderLoad,
  twoServices,
  tornPage,
  restoredBackup,
  clockSteps,
  overload,
  crowds,
  attackers,
];
