/**
 * The DKIM record that somebody meant to publish: our key, with the tags of the published record that are valid.
 * Decides which tags stay; what is wrong with the record is dkim.ts's to say.
 */
import type { Tag } from "./tag-list.ts";

const LENGTH_MAX = 4000;
const PARTS_MAX = 20;
const VALUE_MAX = 200;

/** `expected` with the other tags of `record` that receivers read as they should. Never throws. */
export function mendDkim(record: string, expected: string): string {
  const [version, type, key] = expected.split("; ");
  const text = record.slice(0, LENGTH_MAX).replace(/["“”„\\]/g, "");
  const kept: Tag[] = [];
  for (const part of text.split(";").slice(0, PARTS_MAX)) {
    const tag = keptTag(part);
    if (tag !== null && !kept.some(({ name }) => name === tag.name)) kept.push(tag);
  }
  return [version, type, ...kept.map(({ name, value }) => `${name}=${value}`), key].join("; ");
}

function keptTag(part: string): Tag | null {
  const [, name = "", text = ""] = /^\s*([a-z][a-z0-9_]*)\s*=([\x20-\x7e\t]*)$/i.exec(part) ?? [];
  if (name === "" || ["v", "k", "p"].includes(name.toLowerCase())) return null;
  const value = text.replace(/\s+/g, " ").trim();
  if (value === "" || value.length > VALUE_MAX) return null;
  const items = value.split(":").map((item) => item.trim());
  switch (name) {
    case "h":
      return items.includes("sha256") ? { name, value } : null;
    case "s":
      return items.includes("*") || items.includes("email") ? { name, value } : null;
    case "t": {
      // y lets receivers ignore the signature.
      const flags = items.filter((flag) => flag !== "y" && flag !== "");
      return flags.length === 0 ? null : { name, value: flags.join(":") };
    }
    case "n":
      return { name, value };
    default:
      // The rest of a key that was cut up, or a tag that receivers ignore.
      return value.length > 60 ? null : { name, value };
  }
}
