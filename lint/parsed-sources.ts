/** The sources of src/ as the TypeScript parser reads them. */
import { fileURLToPath } from "node:url";
import type { SourceFile } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));

/** What `read` finds in all files of src/ together, in the order of the files. `file` is relative to the checkout. */
export function readSources<T>(read: (source: SourceFile, file: string) => T[], checkout = CHECKOUT): T[] {
  const api = new API({ cwd: checkout });
  try {
    const [project] = api.updateSnapshot({ openProject: `${checkout}tsconfig.json` }).getProjects();
    const files = project?.program.getSourceFileNames().filter((name) => name.startsWith(`${checkout}src/`)) ?? [];
    return files.flatMap((name) => {
      const source = project?.program.getSourceFile(name);
      return source === undefined ? [] : read(source, name.slice(checkout.length));
    });
  } finally {
    api.close();
  }
}
