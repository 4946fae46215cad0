// The manifests that a page of the documentation shows: its blocks of `yaml`, as somebody would paste them into a file.

export type PageManifest = {
  readonly text: string;
  /** The line of the page on which it begins, for messages. */
  readonly line: number;
};

const BLOCK = /^```yaml\n([\s\S]*?)^```$/gm;

/** Finds them, in their order. */
export function pageManifests(markdown: string): readonly PageManifest[] {
  return [...markdown.matchAll(BLOCK)].map(({ 1: text = "", index }) => {
    const before = markdown.slice(0, index).split("\n").length;
    return { text, line: before + 1 };
  });
}
