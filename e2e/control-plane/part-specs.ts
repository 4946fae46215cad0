// Each program of a cluster as a part: its binary, command line, ports, and the question whose answer means "it serves".
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { commandLine, type Layout } from "./command-lines.ts";
import { call } from "./https-call.ts";
import type { PartSpec } from "./part.ts";
import type { PartName } from "./programs.ts";

export type PartContext = {
  readonly layout: Layout;
  readonly binaries: Binaries;
  readonly ca: string;
  readonly adminToken: string;
};

/** Describes one part; `label` tells replicas of the same program apart. */
export function describePart(name: PartName, context: PartContext, label: string = name): PartSpec {
  const command = context.binaries.get(name);
  if (command === undefined) throw new Error(`no binary of ${name}; see controlPlaneAvailability()`);
  const { layout, ca } = context;
  const { ports, url, token } = endpointOf(name, context);
  const isReady = async () => (await call(url, { ca, ...(token === undefined ? {} : { token }) })).status === 200;
  const logFile = join(layout.folder, `${label}.log`);
  return { name: label, command, args: commandLine(name, layout), ports, logFile, isReady };
}

type Endpoint = { readonly ports: readonly number[]; readonly url: string; readonly token?: string };

function endpointOf(name: PartName, { layout, adminToken }: PartContext): Endpoint {
  const { etcd, etcdPeer, apiserver, controllers, scheduler } = layout.ports;
  switch (name) {
    case "etcd":
      return { ports: [etcd, etcdPeer], url: `http://127.0.0.1:${etcd}/readyz` };
    case "kube-apiserver":
      return { ports: [apiserver], url: `https://127.0.0.1:${apiserver}/readyz`, token: adminToken };
    case "kube-controller-manager":
      return { ports: [controllers], url: `https://127.0.0.1:${controllers}/healthz` };
    case "kube-scheduler":
      return { ports: [scheduler], url: `https://127.0.0.1:${scheduler}/readyz` };
  }
}
