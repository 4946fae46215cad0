// What a credential plugin prints: an ExecCredential with a token or a certificate, and until when it is good.
// Errors never quote the output: it is meant to be a secret.

import { isFields } from "../client/object-answer.ts";
import { parseJson } from "../wire/json-text.ts";
import type { PluginCredential } from "./credential-parts.ts";
import { faultOfPem, faultOfToken } from "./reread-file.ts";

export type HeldCredential = {
  readonly credential: PluginCredential;
  /** Infinite when the plugin does not say. */
  readonly expiresWallMs: number;
};

type Fields = Readonly<Record<string, unknown>>;

/** Reads a plugin's output; throws an error that says what is missing in it. */
export function parseExecCredential(stdout: string, apiVersion: string): HeldCredential {
  const printed = parseQuietly(stdout);
  if (!isFields(printed) || printed.kind !== "ExecCredential") {
    throw new Error(`it printed ${stdout.length} characters that are no ExecCredential; run it by hand to see them`);
  }
  if (printed.apiVersion !== apiVersion) {
    throw new Error(`it printed another apiVersion than the ${apiVersion} of the kubeconfig; make them equal`);
  }
  const status = isFields(printed.status) ? printed.status : {};
  const token = textIn(status, "token", faultOfToken);
  const cert = textIn(status, "clientCertificateData", faultOfPem);
  const key = textIn(status, "clientKeyData", faultOfPem);
  if ((cert === undefined) !== (key === undefined))
    throw new Error("it printed a certificate without key, or a key alone");
  if (token === undefined && cert === undefined) throw new Error("it printed neither a token nor a certificate");
  return {
    credential: {
      ...(token === undefined ? {} : { token }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    },
    expiresWallMs: expiryOf(status.expirationTimestamp),
  };
}

function parseQuietly(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function textIn(status: Fields, field: string, faultOf: (text: string) => string | undefined): string | undefined {
  const value = status[field];
  if (value === undefined || value === null || value === "") return undefined;
  const fault = typeof value === "string" ? faultOf(value.trim()) : "is not text";
  if (typeof value !== "string" || fault !== undefined) throw new Error(`the status.${field} that it printed ${fault}`);
  return value.trim();
}

function expiryOf(timestamp: unknown): number {
  if (timestamp === undefined || timestamp === null) return Number.POSITIVE_INFINITY;
  const ms = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(ms)) throw new Error("the status.expirationTimestamp that it printed is not a time");
  return ms;
}
