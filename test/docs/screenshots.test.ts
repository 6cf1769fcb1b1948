/** The images of the documents: each one named is there, each one there is named, and all are small PNGs. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { withoutCode } from "./markdown.ts";

const ROOT = new URL("../../", import.meta.url);
const IMAGES = new URL("docs/images/", ROOT);
const IMAGE_BYTES_MAX = 450_000;
const PNG_SIGNATURE = "89504e470d0a1a0a";

const documents = (dir: URL): URL[] =>
  readdirSync(dir)
    .filter((file) => file.endsWith(".md"))
    .map((file) => new URL(file, dir));

/** The files that a document shows, whether in HTML or in Markdown; not those of other hosts. */
function imagesIn(document: URL): string[] {
  const text = withoutCode(readFileSync(document, "utf8"));
  const named = [...text.matchAll(/<(?:img|source)\b[^>]*?\b(?:src|srcset)="([^"]+)"|!\[[^\]]*\]\(([^)\s]+)/g)];
  return named
    .map(([, attribute, link]) => attribute ?? link ?? "")
    .filter((reference) => !/^[a-z]+:/i.test(reference))
    .map((reference) => fileURLToPath(new URL(reference, document)));
}

const named = new Set([...documents(ROOT), ...documents(new URL("docs/", ROOT))].flatMap(imagesIn));

test("the images that documents name are those in docs/images, none missing and none unused", () => {
  const present = readdirSync(IMAGES).map((file) => fileURLToPath(new URL(file, IMAGES)));
  assert.ok(present.length > 0);
  assert.deepEqual([...named].toSorted(), present.toSorted());
});

test("each image is a PNG of at most 450 KB", () => {
  for (const path of named) {
    const image = readFileSync(path);
    assert.equal(image.toString("hex", 0, 8), PNG_SIGNATURE, path);
    assert.equal(image.toString("latin1", 12, 16), "IHDR", path);
    assert.equal(image.toString("latin1", image.length - 8, image.length - 4), "IEND", `${path} is cut off`);
    assert.ok(image.length <= IMAGE_BYTES_MAX, `${path} has ${image.length} bytes`);
  }
});

test("each image for a light page has one for a dark page, and an alternative text", () => {
  for (const document of documents(new URL("docs/", ROOT))) {
    for (const [tag] of withoutCode(readFileSync(document, "utf8")).matchAll(/<img\b[^>]*>/g))
      assert.match(tag, /\balt="[^"]{20,}"/);
  }
  for (const path of named) {
    if (path.endsWith("-light.png")) assert.ok(named.has(path.replace("-light.", "-dark.")), path);
  }
});
