/**
 * How a file that was written whole under another name gets its own, without ever taking the place of another file.
 */
import { linkSync, lstatSync, renameSync } from "node:fs";

/** What `link` fails with on file systems that have no hard links: FAT, exFAT, some of FUSE and NFS. */
const WITHOUT_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * Gives `draft` the name `file`; the draft may still be there under its own. Throws EEXIST where `file` is there. Without hard
 * links, a file that another process makes between the look and the rename is replaced.
 */
export function renameNoReplace(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!WITHOUT_LINKS.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
      throw Object.assign(new Error(`EEXIST: file already exists, '${file}'`), { code: "EEXIST" });
    renameSync(draft, file);
  }
}
