/** Counts a request that is not a send against its key's rate. */
import { rateRejection } from "../../app/send/accept-message.ts";
import type { SendRate } from "../../app/send/send-rate.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import { rejectionProblem } from "./problems.ts";

/** Throws the 429 problem of a key whose rate is used up. */
export async function takeToken(rate: Pick<SendRate, "consume">, key: ApiKey): Promise<void> {
  const limited = rateRejection(await rate.consume(key));
  if (limited !== null) throw rejectionProblem(limited);
}
