/** Returns bytes that came from another thread as the Buffer that they were there: structured clone makes a Uint8Array of it. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
