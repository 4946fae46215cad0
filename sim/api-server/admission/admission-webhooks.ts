// Admission webhooks, called as the real server calls them: configurations in the order of their names, mutating ones one
// after the other with JSON patches, validating ones together; failure policies and time limits from the configuration.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import type { Clock } from "../../../src/kube/clock.ts";
import type { Rand } from "../../../src/kube/rand.ts";
import { listAt, numberAt, objectAt, textAt } from "../api-object.ts";
import { badRequest, internalError, Refusal } from "../faults/status.ts";
import { newUid } from "../identity.ts";
import { applyJsonPatch } from "../patch/json-patch.ts";
import { readJson } from "../request/json-body.ts";
import type { Endpoint, ResourceTable } from "../resource-table.ts";
import type { AdmissionRequest } from "../server-parts.ts";
import type { Store } from "../store/store.ts";
import { type CallWebhook, withinTime } from "./call-webhook.ts";
import { parseWebhook, selectsRequest, type Webhook } from "./webhook-match.ts";

export type WebhookParts = {
  readonly store: Store;
  readonly resources: ResourceTable;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly callWebhook: CallWebhook;
};

/** The webhooks of one of the two kinds of configuration. */
export class AdmissionWebhooks {
  readonly #parts: WebhookParts;
  readonly #table: string;
  #webhooks: readonly Webhook[] = [];
  #readTo = -1;

  constructor(plural: string, parts: WebhookParts) {
    this.#parts = parts;
    this.#table = `${plural}.admissionregistration.k8s.io`;
  }

  get isEmpty(): boolean {
    return this.#current().length === 0;
  }

  /** The object as all webhooks leave it. */
  async mutate(object: JsonObject, request: AdmissionRequest): Promise<JsonObject> {
    let mutated = object;
    for (const webhook of this.#current()) {
      const current = { ...request, object: mutated };
      const endpoint = selectsRequest(webhook, current, this.#parts);
      if (endpoint === undefined) continue;
      const response = await this.#ask(webhook, current, endpoint);
      if (response !== undefined) mutated = await patched(mutated, response, endpoint, request);
    }
    return mutated;
  }

  /** Throws the first refusal, in the order of the webhooks. */
  async validate(request: AdmissionRequest): Promise<void> {
    const asked = this.#current().flatMap((webhook) => {
      const endpoint = selectsRequest(webhook, request, this.#parts);
      return endpoint === undefined ? [] : [this.#ask(webhook, request, endpoint)];
    });
    const refused = (await Promise.allSettled(asked)).find((outcome) => outcome.status === "rejected");
    if (refused !== undefined) throw refused.reason;
  }

  /** The webhooks of all configurations; read again when one of these has changed. */
  #current(): readonly Webhook[] {
    const { store } = this.#parts;
    const end = store.endOf(this.#table);
    if (end === this.#readTo) return this.#webhooks;
    this.#readTo = end;
    this.#webhooks = [...store.list(this.#table, { revision: store.revision, prefix: "" })].flatMap(({ object }) =>
      listAt(object, "webhooks").filter(isJsonObject).map(parseWebhook),
    );
    return this.#webhooks;
  }

  /** The webhook's response if it allows the request; undefined when it fails and may. */
  async #ask(webhook: Webhook, request: AdmissionRequest, endpoint: Endpoint): Promise<JsonObject | undefined> {
    if (request.isDryRun && !webhook.hasNoSideEffects)
      throw badRequest(`admission webhook "${webhook.name}" does not support dry run`);
    const uid = newUid(this.#parts.rand);
    try {
      const review = await reviewOf(uid, request, endpoint);
      const { clock, callWebhook } = this.#parts;
      const answer = await withinTime(clock, webhook.timeoutMs, () => callWebhook(webhook.clientConfig, review));
      const response = objectAt(answer, "response");
      if (response.uid !== uid)
        throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? "")}`);
      for (const warning of listAt(response, "warnings")) request.warn(String(warning));
      if (response.allowed !== true) throw denied(webhook, objectAt(response, "status"));
      return response;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (webhook.mayFail) return undefined;
      const because = error instanceof Error ? error.message : String(error);
      throw internalError(`failed calling webhook "${webhook.name}": failed to call webhook: ${because}`);
    }
  }
}

async function reviewOf(uid: string, request: AdmissionRequest, asked: Endpoint): Promise<JsonObject> {
  const { target, operation, object, oldObject, isDryRun } = request;
  const { endpoint, namespace, name, subresource } = target;
  const inVersion = async (value: JsonObject | undefined): Promise<Json> =>
    value === undefined ? null : asked === endpoint ? value : asked.convert(value, asked.apiVersion);
  const part = subresource === "" ? {} : { subResource: subresource, requestSubResource: subresource };
  const kindOf = ({ type: { group, version, kind } }: Endpoint) => ({ group, version, kind });
  const resourceOf = ({ type: { group, version, plural } }: Endpoint) => ({ group, version, resource: plural });
  return {
    ...{ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" },
    request: {
      ...{ uid, kind: kindOf(asked), resource: resourceOf(asked), requestKind: kindOf(endpoint) },
      ...{
        requestResource: resourceOf(endpoint),
        ...part,
        name,
        ...(namespace === "" ? {} : { namespace }),
        operation,
      },
      userInfo: { username: "system:admin", groups: ["system:masters", "system:authenticated"] },
      ...{ object: await inVersion(object), oldObject: await inVersion(oldObject), dryRun: isDryRun, options: null },
    },
  };
}

function denied({ name }: Webhook, status: JsonObject): Refusal {
  const words = textAt(status, "message") || textAt(status, "reason");
  const message = `admission webhook "${name}" denied the request${words === "" ? " without explanation" : `: ${words}`}`;
  const code = numberAt(status, "code") ?? 0;
  const details = isJsonObject(status.details) ? status.details : undefined;
  return new Refusal(code < 400 ? 400 : code, textAt(status, "reason"), message, details);
}

/** The object after a response's patch, read again as if it had been sent. */
async function patched(
  object: JsonObject,
  response: JsonObject,
  asked: Endpoint,
  request: AdmissionRequest,
): Promise<JsonObject> {
  const text = Buffer.from(textAt(response, "patch"), "base64").toString();
  if (text === "") return object;
  const { endpoint } = request.target;
  const steps = readJson(text);
  const before = asked === endpoint ? object : await asked.convert(object, asked.apiVersion);
  const after = steps.ok && isJsonList(steps.value) ? applyJsonPatch(before, steps.value) : undefined;
  if (!isJsonObject(after)) throw internalError("the patch of an admission webhook cannot be applied");
  const decoded = asked.type.rules.decode(after);
  if (!decoded.ok) throw internalError(decoded.because);
  return endpoint.convert(decoded.value, endpoint.apiVersion);
}
