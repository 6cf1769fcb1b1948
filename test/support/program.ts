/** How a test starts a program of the checkout: bundled if the tests are compiled (bundles.ts), else through tsx. */
import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The directory of the bundled programs in a compiled tree. */
export const PROGRAMS_DIR = "programs";

const IS_COMPILED = import.meta.url.endsWith(".js");
const ROOT = new URL("../../", import.meta.url);

/** The directory of the sources, for tests that copy or clone them; without a trailing slash. */
export const CHECKOUT = dirname(realpathSync(new URL("README.md", ROOT)));

/** Node's arguments to run files next to the tests. */
export const LOADER = IS_COMPILED ? [] : ["--import", "tsx"];

/** Node's arguments to run a file of the checkout, such as `new URL("program.ts", import.meta.url)`. */
export const fileArgs = (source: URL): string[] => [...LOADER, compiled(fileURLToPath(source))];

const compiled = (path: string): string => (IS_COMPILED ? path.replace(/\.ts$/, ".js") : path);
const pathOf = (path: string): string => fileURLToPath(new URL(compiled(path), ROOT));
const programOf = (source: string): string => (IS_COMPILED ? `${PROGRAMS_DIR}/${basename(source, ".ts")}.js` : source);

/** Node's arguments to run a program of `src/`, such as `src/main.ts`; `first` is preloaded. */
export function programArgs(source: string, first: string[] = []): string[] {
  return [...LOADER, ...first.flatMap((path) => ["--import", pathOf(path)]), pathOf(programOf(source))];
}
