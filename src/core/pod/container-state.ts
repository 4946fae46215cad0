// What the kubelet reports of the containers of a pod: enough to tell whether a change of an image or of resources has arrived.

import { instantIn, textIn } from "../decision/object-identity.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json/json.ts";

export type ContainerState = {
  readonly name: string;
  /** The image in the runtime's words, which need not be those of the spec. */
  readonly image: string;
  /** Empty until the image has been pulled. */
  readonly imageId: string;
  /** Another one after each restart; empty until the first start. */
  readonly containerId: string;
  readonly isReady: boolean;
  /** It waits to be started: for its image, or after a crash. */
  readonly isWaiting: boolean;
  readonly startedAtMs: number | undefined;
  /** What it may use as the kubelet has set it up; absent where the kubelet does not say. */
  readonly resources: JsonObject | undefined;
};

const NONE: readonly ContainerState[] = Object.freeze([]);

/** Reads the statuses of a pod's containers, whatever their shape; entries without a name are passed over. */
export function parseContainerStates(statuses: Json | undefined): readonly ContainerState[] {
  if (!isJsonList(statuses)) return NONE;
  return statuses.filter(isJsonObject).flatMap((status) => (textIn(status.name) === "" ? [] : [stateOf(status)]));
}

function stateOf(status: JsonObject): ContainerState {
  const state = isJsonObject(status.state) ? status.state : {};
  return {
    name: textIn(status.name),
    image: textIn(status.image),
    imageId: textIn(status.imageID),
    containerId: textIn(status.containerID),
    isReady: status.ready === true,
    isWaiting: isJsonObject(state.waiting),
    startedAtMs: isJsonObject(state.running) ? instantIn(state.running.startedAt) : undefined,
    resources: isJsonObject(status.resources) ? status.resources : undefined,
  };
}
