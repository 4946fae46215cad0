// Asks the server whether we may do something, before we try: the question behind `kubectl auth can-i`.
import type { CallOptions, Client } from "./client.ts";
import { isFields, parseFields } from "./object-answer.ts";

export type Access = {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent asks about all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
};

export type AccessVerdict = { readonly allowed: boolean; readonly because: string };

const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/** The server's verdict on one access of ours, with its reason. */
export async function reviewAccess(client: Client, access: Access, options: CallOptions = {}): Promise<AccessVerdict> {
  const answer = await client.call({
    verb: "create",
    resource: "selfsubjectaccessreviews.authorization.k8s.io",
    method: "POST",
    path,
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: access },
    },
    // A review is a question: nothing is stored.
    repeatable: true,
    signal: options.signal,
    timeoutMs: options.timeoutMs,
  });
  const { status } = parseFields(`POST ${path}`, answer);
  const { allowed, reason, evaluationError } = isFields(status) ? status : {};
  const because = [reason, evaluationError].filter((text) => typeof text === "string" && text !== "").join("; ");
  return { allowed: allowed === true, because: because || (allowed === true ? "allowed" : "no rule allows it") };
}
