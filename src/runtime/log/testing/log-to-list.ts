// A log kept in memory, for tests and simulations that ask what was said.
import type { LogFields, Logger, LogLevel } from "../log.ts";

export type LogLine = { readonly level: LogLevel; readonly message: string; readonly fields: LogFields };

/** A logger and the lines that were written to it, in order. */
export function logToList(): { readonly log: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const withFields = (bound: LogFields): Logger => {
    const writeAt =
      (level: LogLevel) =>
      (message: string, fields: LogFields = {}) =>
        void lines.push({ level, message, fields: { ...bound, ...fields } });
    return {
      debug: writeAt("debug"),
      info: writeAt("info"),
      warn: writeAt("warn"),
      error: writeAt("error"),
      with: (fields) => withFields({ ...bound, ...fields }),
    };
  };
  return { log: withFields({}), lines };
}
