// The lease by which a kubelet says that it lives; a change of it is the sign, its times are not believed.
import type { Stored } from "../../../src/kube/resource.ts";
import type { ApiObject } from "../api-resources.ts";

export type LeaseView = { readonly nodeName: string; readonly resourceVersion: string };

/** Reads a lease. */
export function parseLease({ metadata }: Stored<ApiObject>): LeaseView {
  return { nodeName: metadata.name, resourceVersion: metadata.resourceVersion };
}
