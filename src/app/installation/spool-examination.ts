/** What the doctor may examine of an open spool: its file or database, its quarantine and the master key of its secrets. */
import type { DoctorInput } from "../../doctor/checks.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { Installation } from "./installation-parts.ts";
import { masterKeyState } from "./master-key.ts";

/** Quarantined messages that a finding may name. */
const QUARANTINED_SHOWN = 10;

/** The spool's part of the doctor's DoctorInput; nothing is examined yet. */
export function spoolExamination(
  installation: Installation,
  spool: Pick<Spool, "quarantined">,
): Required<Pick<DoctorInput, "location" | "checkStore" | "quarantined" | "masterKey">> {
  return {
    location: installation.spool.location,
    checkStore: () => installation.spool.check(),
    quarantined: () => spool.quarantined(QUARANTINED_SHOWN),
    masterKey: () => masterKeyState(installation),
  };
}
