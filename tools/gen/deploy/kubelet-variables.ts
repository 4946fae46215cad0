// The environment variables that a kubelet adds to each container for each Service of its namespace. Tests hand them to the
// operator, whose settings must not depend on them.

export type ServicePort = { readonly name?: string; readonly port: number; readonly protocol?: string };

export type LinkedService = {
  readonly name: string;
  readonly clusterIP: string;
  readonly ports: readonly ServicePort[];
};

/** Returns the variables of one Service, as the kubelet's package envvars computes them. */
export function kubeletVariables({ name, clusterIP, ports }: LinkedService): Readonly<Record<string, string>> {
  const prefix = variableName(name);
  const [first] = ports;
  if (first === undefined) return {};
  const named = ports.filter((port) => port.name !== undefined);
  return {
    [`${prefix}_SERVICE_HOST`]: clusterIP,
    [`${prefix}_SERVICE_PORT`]: `${first.port}`,
    ...Object.fromEntries(
      named.map((port) => [`${prefix}_SERVICE_PORT_${variableName(port.name ?? "")}`, `${port.port}`]),
    ),
    [`${prefix}_PORT`]: address(clusterIP, first),
    ...Object.assign({}, ...ports.map((port) => portVariables(prefix, clusterIP, port))),
  };
}

function portVariables(prefix: string, clusterIP: string, port: ServicePort): Readonly<Record<string, string>> {
  const protocol = port.protocol ?? "TCP";
  const portPrefix = `${prefix}_PORT_${port.port}_${protocol}`;
  return {
    [portPrefix]: address(clusterIP, port),
    [`${portPrefix}_PROTO`]: protocol.toLowerCase(),
    [`${portPrefix}_PORT`]: `${port.port}`,
    [`${portPrefix}_ADDR`]: clusterIP,
  };
}

function address(clusterIP: string, { port, protocol = "TCP" }: ServicePort): string {
  const host = clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP;
  return `${protocol.toLowerCase()}://${host}:${port}`;
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}
