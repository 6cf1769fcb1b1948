/** curl, for tests of what people paste into a shell. */
import { withoutProgram } from "./debian-program.ts";

/** For `test`'s options: why a test is skipped, or false. */
export const withoutCurl = (): string | false => withoutProgram("curl", "curl");
