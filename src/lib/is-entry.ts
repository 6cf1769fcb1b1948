/** Whether a module is the program that Node was started with, or is imported by another one. */
import { existsSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** `url` is the module's `import.meta.url`. */
export function isEntry(url: string): boolean {
  const [, program] = process.argv;
  return program !== undefined && existsSync(program) && realpathSync(program) === realpathSync(fileURLToPath(url));
}
