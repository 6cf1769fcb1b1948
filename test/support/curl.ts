/** Runs curl, for tests of commands that users copy into a shell. */
import { withoutProgram } from "./debian-program.ts";

/** A `skip` value for `test`: the reason, or false. */
export const withoutCurl = (): string | false => withoutProgram("curl", "curl");
