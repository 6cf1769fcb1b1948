/** The images as OCI archives, one for each architecture, by .ci/release-image. What this host cannot build is left out, with the reason. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { OUT, ROOT, VERSION } from "./place.ts";
import type { Report } from "./publishing.ts";

const ARCHITECTURES = ["amd64", "arm64"];
/** .ci/release-image: the host lacks what it takes. Other exit codes are failures. */
const CANNOT = 3;

/** Throws if a build fails. */
export function buildImages(work: string, report: Report): void {
  for (const architecture of ARCHITECTURES) {
    const archive = `postrider-${VERSION}-${architecture}.oci.tar`;
    const args = [architecture, `${work}-${architecture}`, join(OUT, archive)];
    const { status, stdout } = spawnSync(join(ROOT, ".ci/release-image"), args, {
      encoding: "utf8",
      maxBuffer: 64 * 2 ** 20,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const last = stdout?.trim().split("\n").at(-1) ?? "";
    if (status === CANNOT) report.leftOut.push(`${archive}: ${last}`);
    else if (status === 0) report.made.push(`${archive}: ${last}`);
    else throw new Error(`the image for ${architecture} cannot be built (exit code ${status}): ${last}`);
  }
}
