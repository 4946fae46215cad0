// The security context of builders without root. They make namespaces of their own, for which no profile stricter than Unconfined
// leaves room; Kubernetes counts that as privileged, although nobody in the container is root.
import type { JsonObject } from "../../../core/json/json.ts";

const USER = 1000;
const unconfined = Object.freeze({ type: "Unconfined" });

export const rootless: JsonObject = Object.freeze({
  ...{ runAsUser: USER, runAsGroup: USER, runAsNonRoot: true },
  ...{ seccompProfile: unconfined, appArmorProfile: unconfined },
});
