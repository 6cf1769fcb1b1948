/** The torture scenarios that mostly wait: for a retry, the end of a lease, a step of the clock. */
import { testRounds } from "./rounds.ts";

testRounds({ "clock-steps": 1, "restored-backup": 1 });
