// A tape: every choice of a run that was not the plain one, and the seed of what is not a choice (identities, jitter). It is
// the whole of a run: the same tape on the same code takes the same steps, without the dice that wrote it.

/** One choice: which draw of its stream it was, and what came out. Zero is never written down: it means the plain thing. */
export type Choice = { readonly at: number; readonly value: number };

export type Tape = {
  readonly scenario: string;
  readonly seed: number;
  readonly streams: ReadonlyMap<string, readonly Choice[]>;
};

const HEAD = "farrier-tape-1";
const namePattern = /^[a-zA-Z][a-zA-Z0-9-]*$/;

/** One line of text: head, scenario, seed, then each stream with its choices, all in a fixed order. */
export function printTape({ scenario, seed, streams }: Tape): string {
  const parts = [...streams]
    .filter(([, choices]) => choices.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, choices]) => `${name}:${choices.map(({ at, value }) => `${at}=${value}`).join(",")}`);
  return [HEAD, scenario, String(seed), ...parts].join("/");
}

/** Reads what `printTape` wrote; a text that is none throws with the part that cannot be read. */
export function parseTape(text: string): Tape {
  const [head, scenario = "", seed = "", ...parts] = text.trim().split("/");
  if (head !== HEAD) throw new Error(`a tape begins with "${HEAD}/", this one with "${text.slice(0, 20)}"`);
  const isPlace = namePattern.test(scenario) && /^\d+$/.test(seed);
  if (!isPlace) throw new Error(`a tape names its scenario and its seed, not "${scenario}" and "${seed}"`);
  return { scenario, seed: Number(seed), streams: new Map(parts.map(parseStream)) };
}

/** How many choices a tape holds: its length to a person. */
export function choicesOf({ streams }: Tape): number {
  let count = 0;
  for (const choices of streams.values()) count += choices.length;
  return count;
}

function parseStream(part: string): [string, readonly Choice[]] {
  const [name = "", choices = "", ...rest] = part.split(":");
  if (!namePattern.test(name) || rest.length > 0) throw new Error(`"${part.slice(0, 40)}" is no stream of a tape`);
  return [name, choices.split(",").map((choice) => parseChoice(name, choice))];
}

function parseChoice(stream: string, text: string): Choice {
  const match = /^(\d+)=(\d+)$/.exec(text);
  if (match === null) throw new Error(`"${text}" in stream "${stream}" of a tape is no choice; write 12=1`);
  return { at: Number(match[1]), value: Number(match[2]) };
}
