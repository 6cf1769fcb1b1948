/** Publishes a completely written file under its final name without replacing an existing file. */
import { linkSync, lstatSync, renameSync } from "node:fs";

/** The errors of `link` on file systems without hard links: FAT, exFAT, some FUSE and NFS ones. */
const WITHOUT_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * Links or renames `draft` to `file`; `draft` may still exist afterwards. Throws EEXIST where `file` exists. Without hard
 * links, a file that another process creates between the check and the rename is replaced.
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
