// The story of `npm start`: a fleet, a driver that does not fit everywhere, an update of the kernel, a patch by label, and an image
// that nobody has. Each act does something to the cluster and asks farrier about it.
import { isReadyPod } from "../../src/cli/rollout/waiting-pods.ts";
import { isJsonObject } from "../../src/core/json/json.ts";
import { listOf, objectAt } from "../../src/kinds/schema/json-parts.ts";
import { DAEMON_SETS, MODULES, NODES, PODS, type Stage, type StoryObject } from "./stage.ts";

export type Act = { readonly title: string; readonly play: (stage: Stage) => Promise<void> };

const OLD_KERNEL = "5.15.0-122-generic";
const NEW_KERNEL = "6.11.0-19-generic";
/** How many nodes reboot at a time. */
const WAVE = 12;
const RELABELLED = 10;

export const ACTS: readonly Act[] = [
  { title: "a fleet of unlike nodes", play: theFleet },
  { title: "a driver, and the nodes that it does not fit", play: aDriver },
  { title: "the missing mapping, built in the cluster", play: theMissingMapping },
  { title: "a new kernel comes over the fleet", play: aNewKernel },
  { title: "another setting for some nodes, by label", play: aPatch },
  { title: "an image that nobody has, and the way back", play: aBadImage },
];

async function theFleet(stage: Stage): Promise<void> {
  stage.say("Seven kernels, four distributions, two architectures. Nothing of ours runs yet.\n");
  await stage.farrier("status");
}

async function aDriver(stage: Stage): Promise<void> {
  stage.say("64 nodes have GPUs and need a kernel module. What would this Module do? A plan writes nothing.\n");
  await stage.farrier("plan -f examples/story/1-gpu-kmod.yaml");
  stage.say("It would leave some nodes without a driver. We apply it anyway, and ask one of them why.\n");
  await stage.apply("examples/story/1-gpu-kmod.yaml");
  await stage.settled(MODULES, "gpu-kmod");
  const dark = (await gpuNodes(stage)).find((node) => kernelOf(node) !== OLD_KERNEL);
  await stage.farrier(`explain node ${dark?.metadata.name ?? ""}`);
}

async function theMissingMapping(stage: Stage): Promise<void> {
  stage.say("One mapping more, for all 6.x kernels. No registry has those images, so each is built once, by a Job.\n");
  await stage.farrier("plan -f examples/story/2-gpu-kmod-mapped.yaml");
  await stage.apply("examples/story/2-gpu-kmod-mapped.yaml");
  await stage.settled(MODULES, "gpu-kmod");
  await stage.farrier("status");
}

async function aNewKernel(stage: Stage): Promise<void> {
  const old = (await gpuNodes(stage)).filter((node) => kernelOf(node) === OLD_KERNEL);
  const names = old.slice(0, 2 * WAVE).map(({ metadata }) => metadata.name);
  stage.say("GPU nodes will get a newer kernel. Would they lose their driver? Ask before, for all of them.\n");
  await stage.farrier(`plan --kernel ${NEW_KERNEL} --nodes nvidia.com/gpu.present=true`);
  stage.say(
    `They would not: the mapping covers it. ${names.length} nodes reboot, ${WAVE} at a time; the first waits for a build.`,
  );
  for (let at = 0; at < names.length; at += WAVE) {
    const wave = names.slice(at, at + WAVE);
    stage.reboot(wave, NEW_KERNEL);
    await stage.until(() => runDrivers(stage, wave, NEW_KERNEL));
    stage.say(`  ${wave.join(" ")}: ${NEW_KERNEL}, driver ready`);
  }
  stage.say("");
  await stage.settled(MODULES, "gpu-kmod");
  await stage.farrier("status module/gpu-kmod");
}

async function aPatch(stage: Stage): Promise<void> {
  stage.say("An image cache runs everywhere, with more space where disks are large.\n");
  await stage.apply("examples/story/3-nydus.yaml");
  await stage.settled(DAEMON_SETS, "nydus");
  const before = await cachePods(stage);
  const chosen = [...before.keys()]
    .filter((node) => node.startsWith("rack-"))
    .toSorted()
    .slice(0, RELABELLED);
  stage.say("What if a node said that its disk is large?\n");
  await stage.farrier(`plan --label node/${chosen[0]} disk=large`);
  await stage.label(chosen, "disk", "large");
  await stage.until(async () => {
    const now = await cachePods(stage);
    return chosen.every((node) => now.get(node)?.isReady === true && now.get(node)?.uid !== before.get(node)?.uid);
  });
  const now = await cachePods(stage);
  const same = [...before].filter(([node, { uid }]) => now.get(node)?.uid === uid).length;
  stage.say(`${before.size - same} pods were replaced, ${same} were not touched. Where does the size come from?\n`);
  await stage.farrier(`explain pod default/${now.get(chosen[0] ?? "")?.name} --fields`);
}

async function aBadImage(stage: Stage): Promise<void> {
  stage.say(
    "Somebody asks for an image that no registry has. The plan cannot know that; it tells whom it would disturb.\n",
  );
  await stage.farrier("plan -f examples/story/4-nydus-broken.yaml");
  await stage.apply("examples/story/4-nydus-broken.yaml");
  const whole = (await cachePods(stage)).size;
  const budget = Math.ceil(whole / 10);
  await stage.until(async () => (await unreadyPods(stage)) >= budget);
  stage.say(
    `It stops by itself at its budget, ${await unreadyPods(stage)} of ${whole} pods, and says what it waits for.\n`,
  );
  await stage.farrier("rollout status daemonset/nydus");
  await stage.farrier("rollout undo daemonset/nydus --yes");
  await stage.settled(DAEMON_SETS, "nydus");
  await stage.farrier("status");
}

/** Which node runs which pod of the image cache. */
async function cachePods(stage: Stage): Promise<ReadonlyMap<string, StoryPod>> {
  return podsByNode((await stage.list(PODS)).filter(({ metadata }) => metadata.labels?.app === "nydus"));
}

async function unreadyPods(stage: Stage): Promise<number> {
  return [...(await cachePods(stage)).values()].filter(({ isReady }) => !isReady).length;
}

async function gpuNodes(stage: Stage): Promise<readonly StoryObject[]> {
  return (await stage.list(NODES)).filter(({ metadata }) => metadata.labels?.["nvidia.com/gpu.present"] === "true");
}

/** Whether all these nodes report the kernel and have a driver that is ready, and no other. */
async function runDrivers(stage: Stage, names: readonly string[], kernel: string): Promise<boolean> {
  const nodes = (await gpuNodes(stage)).filter(({ metadata }) => names.includes(metadata.name));
  if (!nodes.every((node) => kernelOf(node) === kernel)) return false;
  const drivers = (await stage.list(PODS)).filter(
    ({ metadata }) => metadata.labels?.["kmm.node.kubernetes.io/module.name"] === "gpu-kmod",
  );
  const byNode = podsByNode(drivers);
  const images = new Map(drivers.map((pod) => [pod.metadata.name, imageOf(pod)]));
  return names.every((name) => {
    const pod = byNode.get(name);
    return pod?.isReady === true && (images.get(pod.name) ?? "").includes(kernel);
  });
}

type StoryPod = { readonly name: string; readonly uid: string; readonly isReady: boolean };

function podsByNode(pods: readonly StoryObject[]): ReadonlyMap<string, StoryPod> {
  return new Map(
    pods.map((pod) => {
      const { name, uid = "" } = pod.metadata;
      return [String(objectAt(pod, "spec").nodeName), { name, uid, isReady: isReadyPod(pod) }];
    }),
  );
}

function kernelOf(node: StoryObject): string {
  return String(objectAt(objectAt(node, "status"), "nodeInfo").kernelVersion);
}

function imageOf(pod: StoryObject): string {
  const [container] = listOf(objectAt(pod, "spec").containers).filter(isJsonObject);
  return String(container?.image);
}
