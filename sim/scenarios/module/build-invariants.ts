// S10: no image is made twice at once, and no DaemonSet has an image that nobody has pushed.

import { objectIdentity } from "../../../src/core/decision/object-identity.ts";
import { parseBuildTask } from "../../../src/kinds/module/build/build-task.ts";
import { FIT } from "../../../src/kinds/module/module-labels.ts";
import { metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import type { Invariant } from "../../simulator/commit.ts";
import { SETS } from "../small-daemon-sets.ts";
import type { ModelRegistry } from "./model-registry.ts";
import { imageOf } from "./module-wishes.ts";
import { TASKS } from "./small-builds.ts";

/** The two halves of it. */
export function buildInvariants(registry: () => ModelRegistry): readonly Invariant[] {
  return [
    {
      name: "S10 BuildOnce",
      check: ({ table }, state) => {
        if (table !== TASKS) return undefined;
        const tasks = [...state.objects(TASKS)].map((object) => parseBuildTask({ ...objectIdentity(object), object }));
        const images = tasks.filter(({ state: { is } }) => is === "running").map(({ image }) => image);
        const twice = images.find((image, at) => images.indexOf(image) < at);
        return twice === undefined ? undefined : `${twice} is made twice at once`;
      },
    },
    {
      name: "S10 ImageWasPushed",
      check: ({ table, after }) => {
        const isDriver = table === SETS && after !== undefined && textAt(objectAt(metaOf(after), "labels"), FIT) !== "";
        if (!isDriver) return undefined;
        const image = imageOf(objectAt(objectAt(after, "spec"), "template"));
        return registry().everHad(image) ? undefined : `${image} was never pushed`;
      },
    },
  ];
}
