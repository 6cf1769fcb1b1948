/** How a test starts a program of the checkout: compiled where the tests are (compiled-tree.ts), else through tsx. */
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const IS_COMPILED = import.meta.url.endsWith(".js");
const ROOT = new URL("../../", import.meta.url);

/** Where the sources are, for a test that copies or clones them: a path without a slash at its end. */
export const CHECKOUT = dirname(realpathSync(new URL("README.md", ROOT)));

/** Node's arguments that let it run what is beside the tests. */
export const LOADER = IS_COMPILED ? [] : ["--import", "tsx"];

const pathOf = (source: string): string => {
  const path = fileURLToPath(new URL(source, ROOT));
  return IS_COMPILED ? path.replace(/\.ts$/, ".js") : path;
};

/** Node's arguments that run `source`, a path within the checkout as `src/main.ts`; `first` is loaded before it. */
export function programArgs(source: string, first: string[] = []): string[] {
  return [...LOADER, ...first.flatMap((path) => ["--import", pathOf(path)]), pathOf(source)];
}
