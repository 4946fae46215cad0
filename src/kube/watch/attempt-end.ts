// Names the way in which an attempt of the reflector ended, whatever was thrown. The policy decides by this name.
import { ApiError } from "../client/api-error.ts";
import { TransportError, type TransportFailure } from "../transport-error.ts";
import type { AttemptEnd, EndReason } from "./reflector-policy.ts";

/** An attempt that we end ourselves, because of what the server sent. */
export class AttemptFault extends Error {
  override readonly name = "AttemptFault";
  readonly reason: EndReason;

  constructor(reason: EndReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const connectionReasons: Readonly<Record<TransportFailure, EndReason>> = {
  unreachable: "Unreachable",
  untrusted: "Untrusted",
  broken: "Broken",
  timeout: "Silent",
  garbled: "Garbled",
  "too-large": "Garbled",
};

/** The end that an error means. */
export function endOf(error: unknown): AttemptEnd {
  if (error instanceof AttemptFault) return { reason: error.reason, message: error.message };
  if (error instanceof ApiError) {
    return { reason: reasonOf(error), message: error.message, retryAfterMs: error.retryAfterMs };
  }
  if (error instanceof TransportError) return { reason: connectionReasons[error.reason], message: error.message };
  return { reason: "Fault", message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}

function reasonOf({ status, reason }: ApiError): EndReason {
  if (status === 410 || reason === "Expired" || reason === "Gone") return "Expired";
  if (status === 400 || status === 422) return "Invalid";
  if (status === 401 || status === 403) return "Denied";
  if (status === 404) return "NotFound";
  if (status === 429) return "Overloaded";
  return status >= 500 ? "ServerFailed" : "Refused";
}
