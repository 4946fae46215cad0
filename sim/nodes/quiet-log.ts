// A log that says nothing and costs nothing: for parts whose owner does not want to hear of them.
import type { Logger } from "../../src/runtime/log/log.ts";

export const quietLog: Logger = Object.freeze({
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => quietLog,
});
