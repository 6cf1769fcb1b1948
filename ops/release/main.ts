/**
 * `npm run release`: builds a release of the checkout in release/. It publishes nothing: release/PUBLISHING.md says what a person does
 * for that, and what was left out and why. `npm run release -- --package` leaves out the images.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { licenceDocument, licencesIn, sbomOf } from "./components.ts";
import { contractOfToday, keepAsLastRelease } from "./contract/contract.ts";
import { ARCHITECTURES, buildImage } from "./images.ts";
import { notesOf } from "./notes.ts";
import { compileBuild, packPackage, stagePackage } from "./npm-package.ts";
import { FILES, OUT, outputOf, ROOT, VERSION } from "./place.ts";
import { publishingDocument, type Report } from "./publishing.ts";
import { NODE_VERSIONS, tryPackage } from "./try-package.ts";

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const write = (name: string, text: string): void => writeFileSync(join(OUT, name), text);

const report: Report = { commit: commitOf(), made: [], leftOut: [] };
const work = mkdtempSync(join(tmpdir(), "postrider-release-"));
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
try {
  await timed("package", makePackage);
  for (const version of NODE_VERSIONS) {
    const line = await timed(`trial on Node ${version}`, () => tryPackage(join(OUT, FILES.package), version, work));
    report.made.push(`${FILES.package} tried in an empty folder. ${line}`);
  }
  if (process.argv.includes("--package")) report.leftOut.push("the images: the option --package leaves them out");
  else
    for (const architecture of ARCHITECTURES)
      await timed(`image for ${architecture}`, () => buildImage(architecture, join(work, "images"), report));
} finally {
  rmSync(work, { recursive: true, force: true });
}
write(FILES.publishing, publishingDocument(report, readdirSync(OUT)));
write(FILES.checksums, checksums());
for (const line of report.leftOut) print(`Left out: ${line}`);
print(`Version ${VERSION} is in release/. Nothing was published: see release/${FILES.publishing}.`);

/** Prints what a part of the release has made, and how long it took. */
async function timed(part: string, make: () => string | Promise<string>): Promise<string> {
  const startMs = performance.now();
  const made = await make();
  print(`${part}: ${made} (${Math.round((performance.now() - startMs) / 1000)} s)`);
  return made;
}

/** The commit, and whether the checkout differs from it. */
function commitOf(): string {
  const commit = outputOf("git", ["rev-parse", "HEAD"]).trim();
  const changes = outputOf("git", ["status", "--porcelain"]).trim();
  return changes === "" ? commit : `${commit}, with changes that are not committed`;
}

async function makePackage(): Promise<string> {
  write(FILES.notes, notesOf(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), VERSION));
  const contract = await contractOfToday();
  keepAsLastRelease(contract);
  write(FILES.contract, `${JSON.stringify(contract)}\n`);
  const build = join(work, "build");
  compileBuild(build);
  const [sbom, licences] = [sbomOf(build), licenceDocument(licencesIn(build))];
  write(FILES.sbom, sbom);
  write(FILES.licences, licences);
  const stage = join(work, "package");
  await stagePackage(build, stage);
  writeFileSync(join(stage, "sbom.cdx.json"), sbom);
  writeFileSync(join(stage, FILES.licences), licences);
  const files = packPackage(stage, OUT);
  return `${FILES.package}, ${files.length} files`;
}

/** As sha256sum prints them. */
function checksums(): string {
  const names = readdirSync(OUT).sort();
  const digest = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(join(OUT, name)))
      .digest("hex");
  return names.map((name) => `${digest(name)}  ${name}\n`).join("");
}
