/** The notes of a release: its section of CHANGELOG.md. */

/** Returns what stands under the heading of a version, without the heading. Throws if there is no such section. */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split("\n", 1)[0]?.split(" ")[0] === version);
  const notes = section?.slice(section.indexOf("\n")).trim() ?? "";
  if (notes === "") throw new Error(`CHANGELOG.md has no section "## ${version}"`);
  return `# Postrider ${version}\n\n${notes}\n`;
}
