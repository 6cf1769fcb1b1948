/** What a build consists of besides Postrider: the SBOM as npm makes it, and the licences as the packages state them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf } from "./place.ts";

/** The CycloneDX document of the packages that are installed in `buildDir`. */
export function sbomOf(buildDir: string): string {
  return outputOf("npm", ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev"], buildDir);
}

interface InstalledManifest {
  name: string;
  version: string;
  license?: string | { type: string };
}

export interface Licence {
  /** `name version`. */
  component: string;
  /** As the package's manifest states it. */
  licence: string;
  /** The texts of its LICENSE, COPYING and NOTICE files. Few packages have none. */
  texts: string[];
}

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;
const PACKAGE_FILE = /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/;

/** The licences of the packages in `buildDir`/node_modules, by name. Throws if a package states none. */
export function licencesIn(buildDir: string): Licence[] {
  const modules = join(buildDir, "node_modules");
  const files = readdirSync(modules, { recursive: true, encoding: "utf8" });
  const dirs = files
    .filter((file) => PACKAGE_FILE.test(`node_modules/${file}`))
    .map((file) => join(modules, file, ".."));
  const licences = new Map(dirs.map((dir) => licenceIn(dir)).map((licence) => [licence.component, licence]));
  return [...licences.values()].sort((a, b) => (a.component < b.component ? -1 : 1));
}

function licenceIn(dir: string): Licence {
  const { name, version, license } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as InstalledManifest;
  const licence = typeof license === "object" ? license.type : license;
  if (licence === undefined) throw new Error(`${name} ${version} states no licence`);
  const names = readdirSync(dir, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && LICENCE_FILE.test(entry.name),
  );
  const texts = names.map((entry) => readFileSync(join(dir, entry.name), "utf8").trim());
  return { component: `${name} ${version}`, licence, texts };
}

/** One document of all licences. Components with the same text stand together. */
export function licenceDocument(licences: readonly Licence[]): string {
  const sharers = new Map<string, string[]>();
  for (const { component, licence, texts } of licences) {
    const text = [`Licence: ${licence}`, ...texts].join("\n\n");
    sharers.set(text, [...(sharers.get(text) ?? []), component]);
  }
  const parts = [...sharers].map(([text, components]) => `${components.join("\n")}\n\n${text}\n`);
  return `Licences of the libraries that Postrider contains or installs.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
}
