// The way between a kubelet and the API server: how late it hears, and how late it is heard.

export type Link = {
  /** From a change in the API until the kubelet knows of it. */
  readonly hearsAfterMs: number;
  /** From the kubelet's decision until it reaches the API. */
  readonly tellsAfterMs: number;
};

/** The link of a node, asked at every change and every write. */
export type LinkOf = (node: string) => Link;

/** A message that takes longer than this is not late but lost, and a kubelet would send it again. */
export const LINK_DELAY_MAX_MS = 60_000;

const PROMPT: Link = { hearsAfterMs: 0, tellsAfterMs: 0 };

/** Every kubelet knows and is known at once. */
export const promptLinks: LinkOf = () => PROMPT;
