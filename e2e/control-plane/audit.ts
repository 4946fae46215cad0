// The audit log: what was asked of the API server, by whom, and how it was answered. The policy records every write, refused ones too,
// but not the kubelets' heartbeats, which would drown the rest; of those who are installed in the cluster it records reads as well.
import { readFileSync } from "node:fs";
import { KUBELETS } from "./users.ts";

export type AuditedRequest = {
  readonly user: string;
  readonly verb: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The status code of the answer; 0 when there was none. */
  readonly code: number;
  /** Whether its sender had no right to it; a server may refuse for other reasons too. */
  readonly isForbidden: boolean;
  /** When the request arrived: RFC 3339 with microseconds. */
  readonly receivedAt: string;
};

const WRITE_VERBS = ["create", "update", "patch", "delete", "deletecollection"];

/** The policy file of the API server; JSON is YAML. */
export function auditPolicy(): string {
  return JSON.stringify({
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [
      {
        level: "None",
        users: [KUBELETS.name],
        resources: [{ group: "coordination.k8s.io", resources: ["leases"] }],
      },
      { level: "Metadata", verbs: WRITE_VERBS },
      { level: "Metadata", userGroups: ["system:serviceaccounts:farrier-system"] },
      { level: "None" },
    ],
  });
}

/** Every request recorded so far, oldest first; a line still being written is left out. */
export function readAuditLog(file: string): readonly AuditedRequest[] {
  const lines = readFileSync(file, "utf8").split("\n");
  // The last piece is empty, or the beginning of a line.
  return lines.slice(0, -1).map(parseAuditLine);
}

/** Whether something was to be changed. */
export function isWrite({ verb }: AuditedRequest): boolean {
  return WRITE_VERBS.includes(verb);
}

/** One line of the log as a request. */
export function parseAuditLine(line: string): AuditedRequest {
  const entry: unknown = JSON.parse(line);
  const ref = field(entry, "objectRef");
  return {
    user: text(field(field(entry, "user"), "username")),
    verb: text(field(entry, "verb")),
    apiGroup: text(field(ref, "apiGroup")),
    resource: text(field(ref, "resource")),
    subresource: text(field(ref, "subresource")),
    namespace: text(field(ref, "namespace")),
    name: text(field(ref, "name")),
    isForbidden: field(field(entry, "annotations"), "authorization.k8s.io/decision") === "forbid",
    code: Number(field(field(entry, "responseStatus"), "code") ?? 0),
    receivedAt: text(field(entry, "requestReceivedTimestamp")),
  };
}

function field(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
