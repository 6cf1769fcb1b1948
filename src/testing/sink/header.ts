/** Fields of a received message's header, unfolded (RFC 5322) and decoded (RFC 2047). A field that cannot be decoded stays as it is. */

/** The value of the first field of this name; null if there is none. */
export function headerField(content: Buffer, name: string): string | null {
  const end = content.indexOf("\r\n\r\n");
  const header = content.subarray(0, end === -1 ? content.length : end).toString("utf8");
  const unfolded = header.replace(/\r\n(?=[ \t])/g, "").split("\r\n");
  const field = unfolded.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return field === undefined ? null : decodeWords(field.slice(name.length + 1).trim());
}

function decodeWords(text: string): string {
  const word = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi;
  // Space between two encoded words is not part of the text.
  return text.replace(/(\?=)\s+(?==\?)/g, "$1").replace(word, (whole, charset: string, form: string, data: string) => {
    const bytes = form.toLowerCase() === "b" ? Buffer.from(data, "base64") : quotedBytes(data);
    try {
      return new TextDecoder(charset).decode(bytes);
    } catch {
      return whole;
    }
  });
}

function quotedBytes(data: string): Buffer {
  const text = data
    .replaceAll("_", " ")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, "latin1");
}
