/** The links between the documents lead to files and headings that exist. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";

const ROOT = new URL("../../", import.meta.url);

const documents = (): string[] => {
  const ofDirectory = (path: string) => readdirSync(new URL(path, ROOT)).map((name) => `${path}${name}`);
  return [...ofDirectory("./"), ...ofDirectory("./docs/")].filter((path) => path.endsWith(".md"));
};

const withoutCode = (text: string): string => text.replaceAll(/^\s*```[\s\S]*?^\s*```$/gm, "");

/** As GitHub makes them of headings. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ""] of withoutCode(text).matchAll(/^#+ (.+)$/gm)) {
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    for (let n = 0; ; n += 1) {
      const numbered = n === 0 ? anchor : `${anchor}-${n}`;
      if (anchors.has(numbered)) continue;
      anchors.add(numbered);
      break;
    }
  }
  return anchors;
}

for (const document of documents()) {
  test(`every link of ${document} leads somewhere`, () => {
    const url = new URL(document, ROOT);
    const links = withoutCode(readFileSync(url, "utf8")).matchAll(/\]\(([^()\s]+)\)/g);
    for (const [, link = ""] of links) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? url : new URL(path, url);
      assert.ok(existsSync(target), `${link}: there is no such file`);
      if (anchor === undefined || statSync(target).isDirectory()) continue;
      assert.ok(anchorsOf(readFileSync(target, "utf8")).has(anchor), `${link}: there is no such heading`);
    }
  });
}
