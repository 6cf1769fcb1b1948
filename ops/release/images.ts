/** The images as OCI archives, one for each architecture, by .ci/release-image. What this host cannot build is left out, with the reason. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { OUT, ROOT, VERSION } from "./place.ts";
import type { Report } from "./publishing.ts";

export const ARCHITECTURES = ["amd64", "arm64"] as const;
/** .ci/release-image: the host lacks what it takes. Other exit codes are failures. */
const CANNOT = 3;
const LINES_OF_FAILURE = 20;

/** Returns what became of it. Throws if the build fails. */
export function buildImage(architecture: (typeof ARCHITECTURES)[number], work: string, report: Report): string {
  const archive = `postrider-${VERSION}-${architecture}.oci.tar`;
  const args = [architecture, `${work}-${architecture}`, join(OUT, archive)];
  const { status, stdout } = spawnSync(join(ROOT, ".ci/release-image"), args, {
    encoding: "utf8",
    maxBuffer: 64 * 2 ** 20,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = stdout?.trim().split("\n") ?? [];
  const last = lines.at(-1) ?? "";
  if (status !== CANNOT && status !== 0)
    throw new Error(
      `the image for ${architecture} cannot be built (exit code ${status}):\n${lines.slice(-LINES_OF_FAILURE).join("\n")}`,
    );
  (status === 0 ? report.made : report.leftOut).push(`${archive}: ${last}`);
  return status === 0 ? last : `left out: ${last}`;
}
