/**
 * The DKIM record to publish in place of a faulty one: our key, with the valid tags of the published record.
 * Decides which tags are kept; dkim.ts explains the fault.
 */
import type { Tag } from "../dns/tag-list.ts";

const LENGTH_MAX = 4000;
const PARTS_MAX = 20;
const VALUE_MAX = 200;

/** `expected` with the other tags of `record` that are valid. Never throws. */
export function repairDkim(record: string, expected: string): string {
  const [version, type, key] = expected.split("; ");
  const text = record.slice(0, LENGTH_MAX).replace(/["“”„\\]/g, "");
  const tags: Tag[] = [];
  for (const part of text.split(";").slice(0, PARTS_MAX)) {
    const tag = parseValidTag(part);
    if (tag !== null && !tags.some(({ name }) => name === tag.name)) tags.push(tag);
  }
  return [version, type, ...tags.map(({ name, value }) => `${name}=${value}`), key].join("; ");
}

function parseValidTag(part: string): Tag | null {
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
      // With y, receivers may ignore the signature.
      const flags = items.filter((flag) => flag !== "y" && flag !== "");
      return flags.length === 0 ? null : { name, value: flags.join(":") };
    }
    case "n":
      return { name, value };
    default:
      // A long value is a fragment of a split key; a short one is a tag that receivers ignore.
      return value.length > 60 ? null : { name, value };
  }
}
