// The log: one JSON object per line, redacted, to a destination that is handed in. Everything that wants to say something
// takes a Logger; nothing else writes to standard output.
//
// Beside this file:
//   redact.ts, redact-text.ts           removes credentials from every field
//   readable-log.ts                     the log for a terminal
//   event-recorder.ts, event-series.ts  Kubernetes Events, counted and limited
import { type Logger as Pino, pino } from "pino";
import type { Clock } from "../../kube/clock.ts";
import { redactFields } from "./redact.ts";
import { redactText } from "./redact-text.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Put a thrown value under `error`: it is written with its type, message, stack and causes. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose lines carry these fields too. */
  with(fields: LogFields): Logger;
}

/** Takes whole lines, each with its line end. */
export interface LogDestination {
  write(line: string): void;
}

/** A logger that writes JSON lines of `level` and above. */
export function createLog(
  destination: LogDestination,
  clock: Pick<Clock, "wallMs">,
  options: { readonly level: LogLevel },
): Logger {
  return fromPino(
    pino(
      {
        level: options.level,
        base: null,
        timestamp: () => `,"time":"${new Date(clock.wallMs()).toISOString()}"`,
        formatters: { level: (label) => ({ level: label }), log: redactFields },
      },
      destination,
    ),
  );
}

function fromPino(log: Pino): Logger {
  return {
    debug: (message, fields = {}) => log.isLevelEnabled("debug") && log.debug(fields, redactText(message)),
    info: (message, fields = {}) => log.isLevelEnabled("info") && log.info(fields, redactText(message)),
    warn: (message, fields = {}) => log.isLevelEnabled("warn") && log.warn(fields, redactText(message)),
    error: (message, fields = {}) => log.isLevelEnabled("error") && log.error(fields, redactText(message)),
    // Pino writes a child's fields down at once, past the formatter, so they are redacted here.
    with: (fields) => fromPino(log.child(redactFields(fields))),
  };
}
