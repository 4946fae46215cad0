// Calls in flight: as many workers as asked for, each taking the next number when its call is answered.

/** Calls the function for the numbers from 0 to `calls` - 1, never more than `most` of them at once. */
export async function inFlight(most: number, calls: number, call: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < calls) await call(next++);
  };
  await Promise.all(Array.from({ length: most }, work));
}
