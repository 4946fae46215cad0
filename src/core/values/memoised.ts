// A bounded memo around a parser of texts. A fleet has thousands of nodes but few kernels and OS images, so a parser that
// remembers costs one lookup per node. The memo lives as long as the function that someone made here.

export const MEMO_ENTRIES_MAX = 4096;
/** Longer texts are parsed anew each time: a memo must not keep a hostile megabyte alive. */
export const MEMO_TEXT_LENGTH_MAX = 512;

/** Returns a function with the answers of `parse`, remembering up to 4096 of them; equal texts get the same object. */
export function memoised<T>(parse: (text: string) => T): (text: string) => T {
  const memo = new Map<string, T>();
  return (text) => {
    const remembered = memo.get(text);
    if (remembered !== undefined) return remembered;
    const parsed = parse(text);
    if (text.length > MEMO_TEXT_LENGTH_MAX) return parsed;
    // Forgetting everything is crude but bounded, and a fleet with that many distinct texts gains nothing from order.
    if (memo.size === MEMO_ENTRIES_MAX) memo.clear();
    memo.set(text, parsed);
    return parsed;
  };
}
