// Each fault against an operator that cannot live with it: the real one holds under the very same tape, the careless one is found.
import { expect, test } from "vitest";
import type { NodeFacts } from "../../../src/core/node/node-facts.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import type { Start } from "../../simulator/ports.ts";
import { type History, runHistory } from "../../simulator/run-history.ts";
import type { Scenario } from "../../simulator/scenario.ts";
import type { Choice } from "../../simulator/tape.ts";
import {
  countsOnBookmarks,
  countsOnEchoes,
  evicts,
  findsItsOwnLock,
  givesUpAt,
  readsAllPages,
  readsFirstPage,
  waitsForEver,
} from "./careless-clients.ts";
import {
  countsOnTimers,
  ignoresNodes,
  knowsNames,
  losesInterest,
  makesOnce,
  neverForgetsNodes,
  neverListsAgain,
  sleepsThrough,
  trustsItsStatus,
  trustsPods,
  writesOff,
} from "./careless-operators.ts";
import { operatorScenario } from "./operator-scenario.ts";

const builtIn = builtInKinds();
const patience = { timeout: 600_000 };

/** What is forced: draws of a stream that come out as one, or as another value. */
type Forced = Readonly<Record<string, readonly (number | Choice)[]>>;

const forBoth = (fault: string, at: readonly (number | Choice)[]): Forced => ({
  [`operator-${fault}`]: at,
  [`other-operator-${fault}`]: at,
});
const from = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);
/** A new leader waits for a while before it writes. At 30 s and at 35 s somebody asks for another image. */
const story: Forced = { "new-image": [60, 70] };
/** Ticks shortly before the first of them, and after all is done. */
const [BEFORE, AFTER] = [58, 80];
/** Of the durations of a fault, the longest. */
const longest = (draw: number): readonly Choice[] => [{ at: draw, value: 6 }];

/** A short history in which nothing goes wrong but what the tape says. */
async function run(forced: Forced, operator?: Start, more: Partial<Scenario> = {}): Promise<History> {
  const streams = new Map(
    Object.entries(forced).map(([name, choices]) => [
      name,
      choices.map((choice) => (typeof choice === "number" ? { at: choice, value: 1 } : choice)),
    ]),
  );
  const scenario = { ...operatorScenario(operator), faultsMs: 50_000, settleMs: 120_000, quietMs: 10_000, ...more };
  return runHistory({ scenario, source: { tape: { scenario: "operator", seed: 1, streams } }, builtIn });
}

const refused = (status: number) => givesUpAt((outcome) => outcome === status);
const slow = { settleMs: 900_000 };

/** Each strike draws a pod and a reason. The last pod by name is another one each time, and soon one of the toy's. */
const lastPods = [0, 2, 4, 6, 8, 10].map((at) => ({ at, value: 9 }));
/** Draws of requests, of writes and of events that fall into the time of the story. */
const [requests, writes, events] = [from(48, 15), from(20, 60), from(60, 45)];

const isTainted = ({ taints }: NodeFacts) => taints.some(({ key }) => key === "sim/strange");
const isCordoned = ({ isUnschedulable }: NodeFacts) => isUnschedulable;
/** Loses interest before the second image can be everywhere if anything comes between. */
const impatient = losesInterest(4_000);
/** Of the ailments that of a container which is never ready, for long; of the images by name the newest one, for long. */
const neverReady = [{ at: 1, value: 1 }, ...longest(2)];
const newest = [{ at: 0, value: 2 }, ...longest(1)];
/** Every stream is the last of those that are left; the time comes last. */
const slowest = from(0, 30).map((at) => ({ at, value: 6 }));
const long = { faultsMs: 200_000 };
const registryTroubles = [
  ["a registry that nobody reaches", "registry-unreachable"],
  ["a registry that wants credentials", "registry-denies"],
  ["a registry that takes long", "registry-slow"],
  ["a registry that changes its mind", "registry-flaps"],
] as const;

const canaries: readonly (readonly [string, Forced, Start, string, Partial<Scenario>?])[] = [
  ["events that a watch loses", forBoth("event-dropped", events), neverListsAgain, "Settles", slow],
  ["a server that goes away", forBoth("goes-away", requests), waitsForEver, "Settles"],
  ["401", forBoth("unauthorized", requests), refused(401), "Settles"],
  ["403", forBoth("forbidden", requests), refused(403), "Settles"],
  ["409", forBoth("conflict", writes), refused(409), "Settles"],
  ["422", forBoth("invalid", writes), refused(422), "Settles"],
  [
    "certificates that expire",
    { ...forBoth("certificate-expires", [BEFORE]), ...forBoth("certificate-expires-how", longest(0)) },
    givesUpAt((how) => how === "untrusted"),
    "Settles",
  ],
  ["bookmarks that are lost", forBoth("bookmark-lost", from(0, 60)), countsOnBookmarks, "Uncaught", long],
  [
    "streams that are clogged",
    { ...forBoth("swizzles", [61]), ...forBoth("swizzles-how", slowest) },
    countsOnEchoes,
    "Uncaught",
  ],
  ["a death at an answer", forBoth("crash-at-answer", [3]), findsItsOwnLock, "Settles"],
  ["a death when a timer is due", forBoth("dies-at-timer", [30]), findsItsOwnLock, "Settles"],
  ["crash loops", forBoth("crash-loops", [BEFORE]), findsItsOwnLock, "Settles"],
  ["timers that are early", forBoth("timer-early", from(40, 20)), countsOnTimers, "Uncaught"],
  ["timers that are late", forBoth("timer-late", from(40, 20)), countsOnTimers, "Uncaught"],
  [
    "pauses of a minute and more",
    // Somebody asks for another image when it comes back, while the other one leads.
    { "operator-hangs": [61], "operator-hangs-how": [{ at: 0, value: 8 }], "new-image": [60, 201] },
    sleepsThrough,
    "OnlyHolderSends",
    { faultsMs: 110_000 },
  ],
  ["labels that flip", { "label-flips-nodes": [BEFORE], "label-flips-nodes-how": longest(2) }, ignoresNodes, "Settles"],
  ["taints", { "taints-nodes": [BEFORE], "taints-nodes-how": longest(2) }, writesOff(isTainted), "Settles"],
  ["cordons", { "cordons-nodes": [BEFORE], "cordons-nodes-how": longest(1) }, writesOff(isCordoned), "Settles"],
  ["nodes that come and go", { "node-joins": [AFTER], "node-joins-how": longest(1) }, neverForgetsNodes, "Settles"],
  ["containers that ail", { "containers-ail": [BEFORE], "containers-ail-how": neverReady }, impatient, "Settles"],
  [
    "images that are missing",
    { "registry-loses-image": [71], "registry-loses-image-how": newest },
    impatient,
    "Settles",
  ],
  ...registryTroubles.map(([what, name]) => {
    const fault = { [name]: [BEFORE], [`${name}-how`]: longest(0) };
    return [what, fault, impatient, "Settles"] as const;
  }),
  ["pods that fail", { "fails-pods": from(AFTER, 6), "fails-pods-how": lastPods }, trustsPods, "Settles"],
  ["a workload without its labels", { "strips-labels-daemonsets": [AFTER] }, makesOnce, "Settles"],
  ["a workload that somebody deletes", { "deletes-daemonsets": [AFTER] }, makesOnce, "Settles"],
  ["a status that lies", { "lies-in-status-toys": [AFTER] }, trustsItsStatus, "Settles"],
  ["an object that is made anew", { "toy-gone": [AFTER] }, knowsNames, "Settles"],
  ["a namespace that goes and comes", { "namespace-gone": [AFTER] }, knowsNames, "Settles"],
  ["a definition that goes and comes", { "definition-gone": [AFTER] }, knowsNames, "Settles"],
  ["a budget that is spent", { "budget-spent": [BEFORE], "budget-spent-how": longest(0) }, evicts, "Settles"],
  ["a quota that is spent", { "quota-spent": [BEFORE], "quota-spent-how": longest(0) }, refused(403), "Settles"],
];

for (const [what, fault, careless, oracle, more] of canaries)
  test(`${what}: the operator holds, and one that cannot live with it is found`, patience, async () => {
    const forced = { ...story, ...fault };
    expect((await run(forced, undefined, more)).failure).toBeUndefined();
    expect((await run(forced, careless, more)).failure?.oracle).toBe(oracle);
  });

test("without a fault none of the careless ones is found", patience, async () => {
  const all = new Set(canaries.map(([, , careless]) => careless));
  for (const careless of all) expect((await run(story, careless)).failure).toBeUndefined();
});

test(
  "positions that expire in the middle of a list: it begins anew, and who takes a page for all is found",
  patience,
  async () => {
    const forced = { ...story, ...forBoth("old-server", from(0, 60)), ...forBoth("position-expired", [0, 2, 4]) };
    expect((await run(forced, readsAllPages)).failure).toBeUndefined();
    expect((await run(forced, readsFirstPage)).failure?.oracle).toBe("Settles");
    expect((await run(story, readsFirstPage)).failure).toBeUndefined();
  },
);
