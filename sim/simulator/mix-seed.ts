// One number out of a number and a text, for seeds of things that have names.

/** The same on every machine; 32 bits (FNV-1a over the text, started from the number). */
export function mixSeed(seed: number, text: string): number {
  let mixed = (seed ^ 0x811c9dc5) >>> 0;
  for (let at = 0; at < text.length; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193) >>> 0;
  // Neighbouring seeds must not give neighbouring dice.
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b) >>> 0;
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
