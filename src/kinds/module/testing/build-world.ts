// A world for tests of builds: Modules on a cluster on paper, a registry that tests fill and empty, and Jobs whose ends they decide.
import { timestamp } from "../../../core/decision/conditions.ts";
import { objectIdentity, textIn } from "../../../core/decision/object-identity.ts";
import { orderPlan } from "../../../core/decision/plan.ts";
import type { ImageState, StoredObject } from "../../../core/decision/snapshot.ts";
import { isJsonObject, type JsonObject } from "../../../core/json/json.ts";
import { parseKernelRelease } from "../../../core/kernel/kernel-release.ts";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";
import { renderImageTemplate } from "../../../core/values/image-template.ts";
import { PaperCluster } from "../../forecast/paper-cluster.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";
import { BUILD_SITE, type BuildSite } from "../build/build-site.ts";
import { type BuildTask, parseBuildTask } from "../build/build-task.ts";
import type { BuildPlan, ImageNeed } from "../build/image-need.ts";
import { planBuilds } from "../build/plan-builds.ts";
import { placedImage, withOrigin } from "../driver/standing-images.ts";
import { parsedModule } from "./module-builders.ts";

export const DIGEST = "sha256:abababababababababababababababababababababababababababababababab";
const PASSES_MAX = 10;

/** What the Job controller says at the end. */
const ENDS = {
  succeeded: [{ type: "Complete", status: "True" }],
  failed: [
    {
      type: "Failed",
      status: "True",
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    },
  ],
} as const;

export class BuildWorld {
  nowMs = Date.parse("2026-01-01T12:00:00Z");
  site: BuildSite = BUILD_SITE;
  readonly registry = new Map<string, ImageState>();
  readonly cluster = new PaperCluster([], {
    image: (image) => this.registry.get(image) ?? { is: "unasked" },
    isOurLabel: () => false,
  });

  /** A Module that has been stored, with the kernels of its nodes. */
  stored(object: JsonObject, name = "my-kmod"): StoredObject {
    const metadata = { name, namespace: "default", uid: `uid-of-${name}`, generation: 1 };
    const whole = mergeObject(object, { metadata });
    return { ...objectIdentity(whole), object: whole };
  }

  /** Decides once. */
  plan(stored: StoredObject, kernels: readonly string[], arches: readonly string[] = ["amd64"]): BuildPlan {
    const module = parsedModule(stored.object);
    const wanted = kernels.toSorted().flatMap((kernel) => arches.map((arch) => needOf(module, kernel, arch)));
    const plan = planBuilds({ module, stored, wanted, snapshot: this.cluster, nowMs: this.nowMs }, this.site);
    orderPlan({ steps: plan.steps, held: [] });
    return plan;
  }

  /** Decides and does, until there is nothing to do; the last plan. */
  settle(stored: StoredObject, kernels: readonly string[]): BuildPlan {
    for (let pass = 0; pass < PASSES_MAX; pass++) {
      const plan = this.plan(stored, kernels);
      for (const step of plan.steps) this.cluster.perform(step, this.nowMs);
      this.deploy(stored, plan);
      if (plan.steps.length === 0) return plan;
    }
    throw new Error(`still something to do after ${PASSES_MAX} passes`);
  }

  /** What deciding makes of a plan: a DaemonSet for each image that is ready. */
  deploy({ uid, namespace }: StoredObject, { images }: Pick<BuildPlan, "images">): void {
    for (const [image, progress] of images) {
      if (progress.is !== "ready") continue;
      const ownerReferences = [{ apiVersion: "v1", kind: "Module", name: "m", uid, controller: true }];
      const name = image.replace(/^.*:/, "");
      const containers = [{ name: "driver", image: placedImage(image, progress) }];
      const metadata = { name, namespace, uid: `uid-of-${name}`, ownerReferences };
      const body = { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: { template: { spec: { containers } } } };
      this.cluster.put(withOrigin(body, progress));
    }
  }

  /** The images that DaemonSets have, by name. */
  deployed(): readonly string[] {
    return this.cluster.workloads.values().map(({ spec }) => {
      const { containers } = objectAt(objectAt(spec, "template"), "spec");
      return textIn(listOf(containers).filter(isJsonObject)[0]?.image);
    });
  }

  /** Stores a Dockerfile in the ConfigMap of this name. */
  write(dockerfile: string | undefined, name = "dockerfile"): void {
    const metadata = { name, namespace: "default" };
    this.cluster.put({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: dockerfile === undefined ? {} : { dockerfile },
    });
  }

  /** The registry is asked, and has these images and no others. */
  answer(...present: readonly string[]): void {
    const askedMs = this.nowMs;
    for (const image of this.registry.keys()) this.registry.set(image, { is: "missing", askedMs });
    for (const image of present) this.push(image, DIGEST);
  }

  /** The registry is asked, and has this image with this digest. */
  push(image: string, digest: string): void {
    this.registry.set(image, { is: "present", digest, askedMs: this.nowMs });
  }

  /** The registry does not have this image. */
  miss(image: string): void {
    this.registry.set(image, { is: "missing", askedMs: this.nowMs });
  }

  tasks(): readonly BuildTask[] {
    return this.cluster.tasks().map(parseBuildTask);
  }

  /** `my-kmod-build running registry.example.com/kmod:1`, in the order of names. */
  jobs(): readonly string[] {
    return this.tasks().map(({ name, state, image }) => `${name.slice(0, name.lastIndexOf("-"))} ${state.is} ${image}`);
  }

  /** Ends all Jobs that run; their pods leave these words. */
  end(how: keyof typeof ENDS, lastWords = ""): void {
    for (const task of this.tasks()) if (task.state.is === "running") this.endOf(task, how, lastWords);
  }

  endOf({ name, namespace, uid }: BuildTask, how: keyof typeof ENDS, lastWords = ""): void {
    const job = this.cluster.shelf("Job").object(`${namespace}/${name}`) ?? {};
    const conditions = ENDS[how].map((condition) => ({ ...condition, lastTransitionTime: timestamp(this.nowMs) }));
    this.cluster.put(mergeObject(job, { status: { conditions } }));
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name, uid, controller: true }];
    const terminated = { exitCode: how === "failed" ? 1 : 0, message: lastWords };
    const status = {
      phase: how === "failed" ? "Failed" : "Succeeded",
      containerStatuses: [{ name: "build", state: { terminated } }],
    };
    this.cluster.make(
      { kind: "Pod", metadata: { name: `${name}-pod`, namespace, ownerReferences }, status },
      this.nowMs,
    );
  }
}

function needOf(module: ReturnType<typeof parsedModule>, kernel: string, arch: string): ImageNeed {
  const [mapping] = module.driver?.mappings ?? [];
  if (mapping === undefined) throw new Error("the Module has no mapping");
  const subject = { kernel: parseKernelRelease(kernel), moduleName: module.name, moduleNamespace: module.namespace };
  const image = renderImageTemplate(mapping.image, subject);
  if (!image.ok) throw new Error(JSON.stringify(image.problems));
  return { kernel, mapping, image: image.value, arch, nodes: 1 };
}
