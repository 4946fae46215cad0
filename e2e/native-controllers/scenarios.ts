// The scenarios that must end alike on the real controllers and on the models: each is a script over a stage.
import { DAEMON_SETS, JOBS, NAMESPACES, NODES, PODS } from "../../sim/controllers/api-resources.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { MAPS } from "./final-state.ts";
import type { Scenario } from "./play.ts";
import {
  deletePodOn,
  isReady,
  makeDaemonSet,
  makeJob,
  makeMap,
  makePod,
  podsOf,
  rollOut,
  template,
  untilCondition,
  untilReady,
  untilStatus,
} from "./scenario-steps.ts";
import { aMachine, change, machines, read, type Stage } from "./stage.ts";

const rolling = (limits: JsonObject): JsonObject => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: limits },
});

const daemonSets: readonly Scenario[] = [
  {
    name: "a DaemonSet on a fleet with taints",
    async play(stage) {
      const taint = (key: string, effect: string) => ({ taints: [{ key, value: "yes", effect }] });
      await stage.kubelets.join([
        ...machines(stage, 3),
        aMachine(stage, 4, taint("gpu", "NoSchedule")),
        aMachine(stage, 5, taint("maintenance", "NoExecute")),
        aMachine(stage, 6, taint("storage", "NoSchedule")),
        aMachine(stage, 7, { labels: { scenario: "another" } }),
      ]);
      const tolerations = [{ key: "storage", operator: "Exists" }];
      await makeDaemonSet(stage, {}, { tolerations });
      await untilReady(stage, 4);
    },
  },
  {
    name: "a rolling update of one node at a time",
    play: (stage) => rollOut(stage, 4, rolling({ maxUnavailable: 1, maxSurge: 0 })),
  },
  {
    name: "a rolling update of 30 % of the nodes",
    play: (stage) => rollOut(stage, 5, rolling({ maxUnavailable: "30%", maxSurge: 0 })),
  },
  {
    name: "a rolling update with surge",
    play: (stage) => rollOut(stage, 4, rolling({ maxUnavailable: 0, maxSurge: "50%" })),
  },
  {
    name: "a rolling update with minReadySeconds",
    play: (stage) => rollOut(stage, 2, { minReadySeconds: 2, ...rolling({ maxUnavailable: 1, maxSurge: 0 }) }),
  },
  {
    name: "an update by hand",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 4));
      await makeDaemonSet(stage, { updateStrategy: { type: "OnDelete" } });
      await untilReady(stage, 4);
      await change(stage, DAEMON_SETS, "agent", { spec: { template: template("v2") } });
      await untilStatus(stage, "the change is seen", ({ observedGeneration }) => observedGeneration === 2);
      for (const place of [1, 3]) await deletePodOn(stage, `${stage.namespace}-${place}`);
      await untilStatus(
        stage,
        "two are new",
        (status) => status.updatedNumberScheduled === 2 && status.numberReady === 4,
      );
    },
  },
  {
    name: "nodes that come into scope and fall out of it",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 3));
      await makeDaemonSet(stage, {}, { nodeSelector: { scenario: stage.namespace, role: "worker" } });
      const label = (place: number, role: string | null) =>
        change(stage, NODES, `${stage.namespace}-${place}`, { metadata: { labels: { role } } });
      await label(1, "worker");
      await label(2, "worker");
      await untilReady(stage, 2);
      await label(1, null);
      await label(3, "worker");
      await stage.until("the pods have moved", async () => {
        const nodes = (await podsOf(stage)).map(({ spec = {} }) => spec.nodeName);
        return nodes.length === 2 && !nodes.includes(`${stage.namespace}-1`);
      });
      await untilReady(stage, 2);
    },
  },
  {
    name: "a node that is taken away",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 3));
      await makeDaemonSet(stage, {});
      await untilReady(stage, 3);
      await stage.kubelets.leave(`${stage.namespace}-2`);
      await stage.until("its pod is gone", async () => (await podsOf(stage)).length === 2);
      await untilReady(stage, 2);
    },
  },
  {
    name: "a node that falls silent",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 3));
      await makeDaemonSet(stage, {});
      await untilReady(stage, 3);
      stage.kubelets.vanish(`${stage.namespace}-2`);
      await untilStatus(stage, "one is down", ({ numberReady }) => numberReady === 2);
      await stage.until("the node says so", async () => {
        const said = JSON.stringify((await read(stage, NODES, `${stage.namespace}-2`))?.spec);
        return said.includes("NoExecute") && said.includes("NoSchedule");
      });
      // The real controller does not look again for a taint that lets pods stay; what else it does at that time may have come before.
      await change(stage, DAEMON_SETS, "agent", { metadata: { annotations: { looked: "again" } } });
      await untilStatus(stage, "it is not wanted there", ({ desiredNumberScheduled }) => desiredNumberScheduled === 2);
    },
  },
];

const pods: readonly Scenario[] = [
  {
    name: "a taint that sends pods away",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 1));
      const tolerates = (more: JsonObject) => [
        { key: "maintenance", operator: "Exists", effect: "NoExecute", ...more },
      ];
      await makePod(stage, "unwilling", []);
      await makePod(stage, "patient", tolerates({ tolerationSeconds: 4 }));
      await makePod(stage, "staying", tolerates({}));
      await stage.until("all pods run", async () => (await podsOf(stage)).filter(isReady).length === 3);
      const taints = [{ key: "maintenance", value: "now", effect: "NoExecute" }];
      await change(stage, NODES, `${stage.namespace}-1`, { spec: { taints } });
      await stage.until("one is left", async () => (await podsOf(stage)).length === 1);
    },
  },
  {
    name: "a daemon pod that loses its labels",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 2));
      await makeDaemonSet(stage, {});
      await untilReady(stage, 2);
      const pod = (await podsOf(stage)).find(({ spec = {} }) => spec.nodeName === `${stage.namespace}-1`);
      await change(stage, PODS, pod?.metadata.name ?? "", { metadata: { labels: { app: null } } });
      await stage.until("it has a successor", async () => (await podsOf(stage)).filter(isReady).length === 3);
    },
  },
];

const jobs: readonly Scenario[] = [
  {
    name: "a job that succeeds",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 1));
      await makeJob(stage, { completions: 3, parallelism: 2 });
      await untilCondition(stage, "Complete");
    },
  },
  {
    name: "a job that fails until its limit",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 1));
      await makeJob(stage, { backoffLimit: 1 }, { "exit-code": "3" });
      await untilCondition(stage, "Failed");
    },
  },
  {
    name: "a job that takes too long",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 1));
      await makeJob(stage, { activeDeadlineSeconds: 4, parallelism: 2, completions: 2 }, { "run-ms": "999999" });
      await untilCondition(stage, "Failed");
    },
  },
  {
    name: "a job that is removed after its end",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 1));
      await makeJob(stage, { ttlSecondsAfterFinished: 2 });
      await stage.until("the job is gone", async () => (await read(stage, JOBS, "task")) === undefined);
      await stage.until("its pods are gone", async () => (await podsOf(stage)).length === 0);
    },
  },
  {
    name: "a job whose pod is deleted before a node was found for it",
    async play(stage) {
      await makeJob(stage, { podReplacementPolicy: "Failed" });
      const named = async () => (await podsOf(stage))[0]?.metadata.name ?? "";
      await stage.until("it has a pod", async () => (await named()) !== "");
      const first = await named();
      await stage.client.remove(PODS, `${stage.namespace}/${first}`, { gracePeriodSeconds: 0 });
      await stage.until("it has another", async () => ![first, ""].includes(await named()));
      await stage.kubelets.join(machines(stage, 1));
      await untilCondition(stage, "Complete");
    },
  },
  {
    name: "a job that is suspended and goes on",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 1));
      await makeJob(stage, { suspend: true });
      await untilCondition(stage, "Suspended");
      await change(stage, JOBS, "task", { spec: { suspend: false } });
      await untilCondition(stage, "Complete");
    },
  },
];

const endings: readonly Scenario[] = [
  ...(["Background", "Foreground", "Orphan"] as const).map((propagation) => ({
    name: `a deletion with propagation ${propagation}`,
    async play(stage: Stage) {
      const owner = await makeMap(stage, "owner");
      const other = await makeMap(stage, "other");
      const child = await makeMap(stage, "child", [owner]);
      await makeMap(stage, "grandchild", [child]);
      await makeMap(stage, "shared", [owner, other]);
      await stage.client.remove(MAPS, `${stage.namespace}/owner`, { propagation });
      await stage.until("the owner is gone", async () => (await read(stage, MAPS, "owner")) === undefined);
      await stage.until("what it owned has followed or is free", async () => {
        const shared = await read(stage, MAPS, "shared");
        const isFree = shared?.metadata.ownerReferences?.length === 1;
        return isFree && (propagation === "Orphan" || (await read(stage, MAPS, "grandchild")) === undefined);
      });
    },
  })),
  {
    name: "a DaemonSet that is deleted",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 3));
      await makeDaemonSet(stage, {});
      await untilReady(stage, 3);
      await stage.client.remove(DAEMON_SETS, `${stage.namespace}/agent`, { propagation: "Foreground" });
      await stage.until("it is gone", async () => (await read(stage, DAEMON_SETS, "agent")) === undefined);
      await stage.until("its pods are gone", async () => (await podsOf(stage)).length === 0);
    },
  },
  {
    name: "a namespace that is deleted",
    async play(stage) {
      await stage.kubelets.join(machines(stage, 2));
      await makeMap(stage, "left");
      await makeDaemonSet(stage, {});
      await untilReady(stage, 2);
      await makeJob(stage, {}, { "run-ms": "999999" });
      await stage.until("all pods run", async () => (await podsOf(stage)).filter(isReady).length === 3);
      await stage.client.remove(NAMESPACES, stage.namespace);
      await stage.until("it is gone", async () => (await read(stage, NAMESPACES, stage.namespace)) === undefined);
    },
  },
];

export const scenarios: readonly Scenario[] = [...daemonSets, ...pods, ...jobs, ...endings];
