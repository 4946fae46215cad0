// The checks of `doctor` over what was read, each with a level and, where it is not fine, the remedy.
//
// Beside this file:
//   doctor-facts.ts        reads the cluster
//   doctor-definitions.ts  checks the installed definitions
import { isUnknown } from "../../core/decision/fact.ts";
import { instantIn, objectIdentity, textIn } from "../../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { type NodeFacts, parseNodeFacts } from "../../core/node/node-facts.ts";
import type { Kind } from "../../kinds/kind.ts";
import { listOf, objectAt, specOf } from "../../kinds/schema/json-parts.ts";
import { minorOf } from "../../kube/client/discovery.ts";
import { knownObjects, objectText } from "../input/named-object.ts";
import { badConditions } from "../input/object-condition.ts";
import { plural } from "../output/print.ts";
import type { DoctorFacts } from "./doctor-facts.ts";

export type Finding = {
  readonly level: "fine" | "warning" | "error";
  readonly text: string;
  /** What to do about it; empty when it is fine. */
  readonly remedy: string;
};

/** The oldest release that has everything we write. */
export const MINOR_MIN = 29;
/** A holder renews every few seconds. */
const LEASE_FRESH_MS = 60_000;
const NAMES_SHOWN_MAX = 3;
/** The Leases of operators that serve the same kinds. */
const OTHER_LEASES: Readonly<Record<string, string>> = { "kruise-manager": "Kruise", "kmm.sigs.x-k8s.io": "KMM" };
/** How the names of our configurations begin. */
const OUR_WEBHOOKS: readonly string[] = ["farrier-", "daemonset-patches-"];

export const fine = (text: string): Finding => ({ level: "fine", text, remedy: "" });
const warning = (text: string, remedy: string): Finding => ({ level: "warning", text, remedy });
export const error = (text: string, remedy: string): Finding => ({ level: "error", text, remedy });

/** Whether the server is one that we can work with. */
export function checkVersion({ version }: DoctorFacts): readonly Finding[] {
  if (version === undefined)
    return [warning("a snapshot tells only of nodes and objects", "ask the cluster for the rest: leave out --from")];
  const minor = minorOf(version);
  if (minor === undefined)
    return [
      warning(
        `Kubernetes ${version.gitVersion} has a version that tells nothing`,
        `1.${MINOR_MIN} or newer is supported`,
      ),
    ];
  return minor >= MINOR_MIN
    ? [fine(`Kubernetes ${version.gitVersion} is supported (1.${MINOR_MIN} or newer)`)]
    : [error(`Kubernetes ${version.gitVersion} is too old`, `upgrade it to 1.${MINOR_MIN} or newer`)];
}

/** What could not be read, and is not judged below. */
export function checkReadings({ unread }: DoctorFacts): readonly Finding[] {
  return unread.map(({ what, because }) =>
    warning(`${what} could not be read: ${because}`, "ask for the right to list them, or use another --context"),
  );
}

/** Whether all nodes say what they are. */
export function checkNodes({ objects }: DoctorFacts): readonly Finding[] {
  if (objects === undefined) return [];
  const nodes = objects.filter(({ kind }) => kind === "Node").map(parseNodeFacts);
  const dumb = nodes.filter(({ kernel }) => isUnknown(kernel));
  const twins = [...Map.groupBy(nodes.filter(hasBootId), bootIdOf).values()].filter((each) => each.length > 1);
  return [
    dumb.length === 0
      ? fine(`kernel reported by ${nodes.length} of ${plural(nodes.length, "node")}`)
      : warning(`${plural(dumb.length, "node")} without a kernel: ${namesOf(dumb)}`, "see whether their kubelets run"),
    ...twins.map((each) =>
      warning(
        `${plural(each.length, "node")} share one bootID: ${namesOf(each)}`,
        "machines cloned while they ran; reboot them",
      ),
    ),
  ];
}

/** Whether whoever asks has the operator's rights; before an installation nobody can grant what they do not have. */
export function checkRights({ accesses }: DoctorFacts, isBefore: boolean): readonly Finding[] {
  if (accesses === undefined) return [];
  const refused = accesses.filter(([, { allowed }]) => !allowed);
  if (refused.length === 0) return [fine(`you may do what the operator does (${accesses.length} rights asked)`)];
  return refused.map(([{ verb, group, resource, subresource }]) => {
    const what = [resource, subresource].filter((each) => each !== undefined).join("/");
    const text = `you may not ${verb} ${what}${group === "" ? "" : ` of ${group}`}`;
    return isBefore
      ? error(text, "install as somebody who may: nobody can grant what they do not have")
      : warning(text, "it only matters if you run the operator by yourself: ask for the ClusterRole farrier");
  });
}

/** Whether somebody else serves our kinds. */
export function checkOthers({ leases, webhooks }: DoctorFacts, nowMs: number): readonly Finding[] {
  if (leases === undefined || webhooks === undefined) return [];
  const live = leases.flatMap((lease) => {
    const who = OTHER_LEASES[objectIdentity(lease).name];
    return who !== undefined && isFresh(lease, nowMs) ? [`${who} (Lease ${placeOf(lease)})`] : [];
  });
  const kruise = webhooks.filter((each) => objectIdentity(each).name.startsWith("kruise-"));
  if (live.length > 0)
    return live.map((who) =>
      error(`another operator is live: ${who}`, "scale it to zero, or leave its kind out with run --kinds"),
    );
  return kruise.length === 0
    ? [fine("no other operator serves these kinds")]
    : [
        warning(
          `webhooks of Kruise are configured: ${kruise.map((each) => objectIdentity(each).name).join(", ")}`,
          "delete them if Kruise is gone",
        ),
      ];
}

/** Whether an operator of ours is at work. */
export function checkLease(
  { leases }: DoctorFacts,
  lease: { readonly namespace: string; readonly name: string },
  nowMs: number,
): readonly Finding[] {
  if (leases === undefined) return [];
  const place = `${lease.namespace}/${lease.name}`;
  const found = leases.find((each) => placeOf(each) === place);
  if (found === undefined)
    return [warning(`there is no Lease ${place}`, "start the operator, or name its Lease with --lease")];
  const holder = textIn(specOf(found).holderIdentity);
  const seconds = Math.round((nowMs - (renewedMs(found) ?? 0)) / 1_000);
  return holder !== "" && isFresh(found, nowMs)
    ? [fine(`${holder} leads, renewed ${seconds} s ago`)]
    : [
        error(
          `nobody leads: Lease ${place} was last renewed ${textIn(specOf(found).renewTime) || "never"}`,
          `see why the operator does not run: kubectl -n ${lease.namespace} get pods`,
        ),
      ];
}

/** Whether the API server can trust our webhooks, where it is told to ask them. */
export function checkWebhooks({ webhooks }: DoctorFacts): readonly Finding[] {
  if (webhooks === undefined) return [];
  const ours = webhooks.filter((each) => OUR_WEBHOOKS.some((start) => objectIdentity(each).name.startsWith(start)));
  if (ours.length === 0) return [fine("no webhook is configured: objects are judged when the operator reads them")];
  return ours.map((each) => {
    const { name } = objectIdentity(each);
    const bare = listOf(each.webhooks)
      .filter(isJsonObject)
      .filter((hook) => textIn(objectAt(hook, "clientConfig").caBundle) === "");
    return bare.length === 0
      ? fine(`${name} has its certificate authority`)
      : error(
          `${name} has ${plural(bare.length, "webhook")} without a CA bundle`,
          "the operator writes it when it runs with --webhook; until then writes are refused",
        );
  });
}

/** Whether the objects are well. */
export function checkObjects({ objects }: DoctorFacts, kinds: readonly Kind[], called: string): readonly Finding[] {
  if (objects === undefined) return [];
  const known = knownObjects(objects, kinds);
  const bad = known.flatMap((each): readonly Finding[] => {
    const [worst] = badConditions(each.stored).filter(({ type }) => type === "Stalled" || type === "Ready");
    if (worst === undefined) return [];
    const text = `${objectText(each)}: ${worst.reason}${worst.message === "" ? "" : `: ${worst.message}`}`;
    const remedy = `${called} status ${objectText(each)}`;
    return [worst.type === "Stalled" ? error(text, remedy) : warning(text, remedy)];
  });
  return bad.length === 0 ? [fine(`${plural(known.length, "object")}, none in trouble`)] : bad;
}

function hasBootId({ bootId }: NodeFacts): boolean {
  return !isUnknown(bootId) && bootId !== "";
}

function bootIdOf({ bootId }: NodeFacts): string {
  return isUnknown(bootId) ? "" : bootId;
}

function namesOf(nodes: readonly NodeFacts[]): string {
  const shown = nodes
    .slice(0, NAMES_SHOWN_MAX)
    .map(({ name }) => name)
    .join(", ");
  return nodes.length > NAMES_SHOWN_MAX ? `${shown}, …` : shown;
}

function placeOf(object: JsonObject): string {
  const { namespace, name } = objectIdentity(object);
  return `${namespace}/${name}`;
}

function renewedMs(lease: JsonObject): number | undefined {
  return instantIn(specOf(lease).renewTime);
}

function isFresh(lease: JsonObject, nowMs: number): boolean {
  const renewed = renewedMs(lease);
  return renewed !== undefined && nowMs - renewed <= LEASE_FRESH_MS;
}
