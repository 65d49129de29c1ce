// Gives the memory of large bodies back when they are done with.

/** Smaller ones may share their memory with others. */
const MIN_BYTES = 1 << 16

/**
 * Frees the memory that these bytes are in, which no one else may need: they and all that shares it are empty from then on.
 * The garbage collector would do so later, and under load many times too late: it runs after so much garbage, and not after
 * so much memory.
 */
export function freeMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= MIN_BYTES) buffer.transfer(0)
}
