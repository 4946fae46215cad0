// A command that cannot do what it was asked for: the message names the thing, the value and the remedy, and goes to standard error.

export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Exit codes as `kubectl diff` has them. */
export const EXIT = { nothing: 0, differences: 1, trouble: 2 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];
