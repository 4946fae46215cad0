// Operators with one mistake each, made of the real one by spoiling what it sends or what its kind sees. The scenario must find every one
// of them, or its invariants might as well not be there.

import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { mergeObject } from "../../../src/core/strategic-merge/merge-patch.ts";
import { REVISION_HASH } from "../../../src/kinds/daemon-set/pods/pod-keys.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import type { HttpRequest, Transport } from "../../../src/kube/transport.ts";
import { bodyText } from "../../api-server/request/json-body.ts";
import type { Start } from "../../simulator/ports.ts";
import { kinds, operate, operateAlone, operateWith } from "./daemon-set-scenario.ts";

type Spoil = (body: JsonObject, request: HttpRequest) => JsonObject;

/** Whose mistake it is, and the invariant that must tell. */
export const carelessOperators: readonly (readonly [about: string, operator: Start, tells: string])[] = [
  ["names pods by chance", sending(/POST .*\/pods(\?|$)/, namedByChance()), "S1 AtMostOne"],
  ["takes three nodes at a time", seeing({ updateStrategy: { rollingUpdate: { maxUnavailable: 3 } } }), "S2 Budget"],
  ["makes pods without an owner", sending(/POST .*\/pods(\?|$)/, without("ownerReferences")), "S3 Owner"],
  ["deletes whatever has the name", sending(/DELETE /, () => ({})), "S4 DeletesCarryUid"],
  ["changes whatever has the name", sending(/PATCH .*\/daemonsets\//, without("resourceVersion", "uid")), "S4 Fence"],
  [
    "says that it has seen the future",
    sending(/PATCH .*\/status/, status({ observedGeneration: 99 })),
    "S8 ObservedGeneration",
  ],
  ["counts wrongly", sending(/PATCH .*\/status/, status({ numberUnavailable: 7 })), "S8 StatusTruth"],
  ["does not ask who leads", operateAlone, "S9 OneLeader"],
  ["adds what no template says", sending(/POST .*\/pods(\?|$)/, withImage("agent:latest")), "S11 PureRender"],
  ["cannot leave well alone", touching(5_000), "Quiet"],
  ["gives all revisions one hash", sending(/POST .*\/controllerrevisions/, labelled("same")), "S15 Revision"],
  ["falls over a set that it cannot read", stumbling(), "Settles"],
];

/** What it sends is spoilt where the method and path are like this. */
function sending(where: RegExp, spoil: Spoil): Start {
  return (ports) => operate({ ...ports, transport: spoilt(ports.transport, where, spoil) });
}

function spoilt(transport: Transport, where: RegExp, spoil: Spoil): Transport {
  const change = (request: HttpRequest): HttpRequest => {
    if (request.body === undefined || !where.test(`${request.method} ${request.path}`)) return request;
    const body: unknown = JSON.parse(bodyText(request.body));
    return { ...request, body: JSON.stringify(isJsonObject(body) ? spoil(body, request) : body) };
  };
  return { request: (request) => transport.request(change(request)), stream: (request) => transport.stream(request) };
}

/** Its kind sees specs with these fields. */
function seeing(spec: JsonObject): Start {
  return (ports) =>
    operateWith(
      ports,
      kinds().map((kind) => ({ ...kind, observe: seen(kind, spec) })),
    );
}

function seen(kind: Kind, spec: JsonObject): Kind["observe"] {
  return (snapshot, stored) => kind.observe(snapshot, { ...stored, object: mergeObject(stored.object, { spec }) });
}

/** Its kind throws where it should say what is wrong. */
function stumbling(): Start {
  return (ports) => {
    const observe =
      (kind: Kind): Kind["observe"] =>
      (snapshot, stored) => {
        if (stored.name === "broken") throw new Error("cannot read this");
        return kind.observe(snapshot, stored);
      };
    operateWith(
      ports,
      kinds().map((kind) => ({ ...kind, observe: observe(kind) })),
    );
  };
}

/** Writes something every so often, for no reason. */
function touching(everyMs: number): Start {
  return (ports) => {
    operate(ports);
    const touch = () => {
      const name = `note-${ports.identity}-${ports.clock.monotonicMs()}`.replaceAll(".", "-");
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
      const headers = { "content-type": "application/json" };
      const path = "/api/v1/namespaces/default/configmaps";
      // The lane of leases: it is not a leader's mistake that is to be found here.
      ports.transport.request({ method: "POST", path, headers, body, lane: "lease" }).catch(() => undefined);
      ports.clock.after(everyMs, touch);
    };
    touch();
  };
}

function namedByChance(): Spoil {
  let count = 0;
  return (body) => mergeObject(body, { metadata: { name: `agent-${++count}-${String(count * 7919)}` } });
}

function without(...keys: readonly string[]): Spoil {
  return (body) => mergeObject(body, { metadata: Object.fromEntries(keys.map((key) => [key, null])) });
}

function status(fields: JsonObject): Spoil {
  return (body) => mergeObject(body, { status: fields });
}

function withImage(image: string): Spoil {
  return (body) => mergeObject(body, { spec: { containers: [{ name: "agent", image }] } });
}

function labelled(hash: string): Spoil {
  return (body) => mergeObject(body, { metadata: { labels: { [REVISION_HASH]: hash } } });
}
