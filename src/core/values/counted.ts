// Numbers in our sentences: "1 node has", "3 nodes have".

/** The number together with the words for one, or for any other number. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
