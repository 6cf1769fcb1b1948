/** How a test starts a program of the checkout: bundled where the tests are compiled (bundles.ts), else through tsx. */
import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Where a compiled tree has its bundled programs. */
export const PROGRAMS_DIR = "programs";

const IS_COMPILED = import.meta.url.endsWith(".js");
const ROOT = new URL("../../", import.meta.url);

/** Where the sources are, for a test that copies or clones them: a path without a slash at its end. */
export const CHECKOUT = dirname(realpathSync(new URL("README.md", ROOT)));

/** Node's arguments that let it run what is beside the tests. */
export const LOADER = IS_COMPILED ? [] : ["--import", "tsx"];

const compiled = (path: string): string => (IS_COMPILED ? path.replace(/\.ts$/, ".js") : path);
const pathOf = (path: string): string => fileURLToPath(new URL(compiled(path), ROOT));
const programOf = (source: string): string => (IS_COMPILED ? `${PROGRAMS_DIR}/${basename(source, ".ts")}.js` : source);

/** Node's arguments that run a program of `src/`, as `src/main.ts`; `first` is loaded before it. */
export function programArgs(source: string, first: string[] = []): string[] {
  return [...LOADER, ...first.flatMap((path) => ["--import", pathOf(path)]), pathOf(programOf(source))];
}
