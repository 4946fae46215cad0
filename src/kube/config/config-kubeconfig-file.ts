// One kubeconfig file: clusters, users and contexts by name, as kubectl reads them. Paths inside are relative to the file.
import { LocatedYaml, type YamlPath } from "./located-yaml.ts";

/** Kubeconfigs of the largest companies stay below this; more was named by mistake. */
export const KUBECONFIG_BYTES_MAX = 4 * 1024 * 1024;

export type ClusterEntry = {
  readonly server: string | undefined;
  readonly certificateAuthority: string | undefined;
  readonly certificateAuthorityData: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly skipVerify: boolean;
  readonly proxyUrl: string | undefined;
  /** What the file has to say to credential plugins about this cluster. */
  readonly pluginConfig: unknown;
};

export type ExecEntry = {
  readonly apiVersion: string | undefined;
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string | undefined;
  readonly interactiveMode: string | undefined;
  readonly provideClusterInfo: boolean;
};

export type UserEntry = {
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly clientCertificate: string | undefined;
  readonly clientCertificateData: string | undefined;
  readonly clientKey: string | undefined;
  readonly clientKeyData: string | undefined;
  readonly username: string | undefined;
  readonly authProvider: string | undefined;
  readonly exec: ExecEntry | undefined;
  /** Headers that say whom to act as. */
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>;
};

export type ContextEntry = {
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
};

/** An entry knows where it stands: `at("server")` is the file, line and name of one of its fields, for messages. */
export type Filed<T> = T & { readonly file: string; readonly at: (...field: YamlPath) => string };

export type Kubeconfig = {
  readonly currentContext: Filed<{ readonly name: string }> | undefined;
  readonly clusters: ReadonlyMap<string, Filed<ClusterEntry>>;
  readonly users: ReadonlyMap<string, Filed<UserEntry>>;
  readonly contexts: ReadonlyMap<string, Filed<ContextEntry>>;
};

/** Reads one file; throws an error that names the file, the line and the field when it cannot be a kubeconfig. */
export function parseKubeconfigFile(file: string, text: string): Kubeconfig {
  const yaml = new LocatedYaml(file, text);
  yaml.names([]);
  return {
    currentContext: currentContextOf(yaml),
    clusters: entriesOf(yaml, "clusters", "cluster", parseCluster),
    users: entriesOf(yaml, "users", "user", parseUser),
    contexts: entriesOf(yaml, "contexts", "context", parseContext),
  };
}

function currentContextOf(yaml: LocatedYaml): Kubeconfig["currentContext"] {
  const name = yaml.text(["current-context"]);
  return name ? { name, file: yaml.file, at: () => yaml.at(["current-context"]) } : undefined;
}

function entriesOf<T>(yaml: LocatedYaml, list: string, field: string, parse: (yaml: LocatedYaml, at: YamlPath) => T) {
  const entries = new Map<string, Filed<T>>();
  for (let index = 0; index < yaml.count([list]); index++) {
    const name = yaml.text([list, index, "name"]);
    if (name === undefined) throw yaml.complaint([list, index], "needs a name");
    // As in kubectl, the first of two equal names counts.
    if (entries.has(name)) continue;
    const path = [list, index, field];
    const at = (...steps: YamlPath) => yaml.at([...path, ...steps]);
    entries.set(name, { ...parse(yaml, path), file: yaml.file, at });
  }
  return entries;
}

function parseCluster(yaml: LocatedYaml, at: YamlPath): ClusterEntry {
  return {
    server: yaml.text([...at, "server"]),
    certificateAuthority: pathIn(yaml, [...at, "certificate-authority"]),
    certificateAuthorityData: yaml.text([...at, "certificate-authority-data"]),
    tlsServerName: yaml.text([...at, "tls-server-name"]),
    skipVerify: yaml.flag([...at, "insecure-skip-tls-verify"]) ?? false,
    proxyUrl: yaml.text([...at, "proxy-url"]),
    pluginConfig: pluginConfig(yaml, [...at, "extensions"]),
  };
}

function pluginConfig(yaml: LocatedYaml, at: YamlPath): unknown {
  for (let index = 0; index < yaml.count(at); index++) {
    if (yaml.value([...at, index, "name"]) === "client.authentication.k8s.io/exec")
      return yaml.value([...at, index, "extension"]);
  }
  return undefined;
}

function parseContext(yaml: LocatedYaml, at: YamlPath): ContextEntry {
  return {
    cluster: yaml.text([...at, "cluster"]),
    user: yaml.text([...at, "user"]),
    namespace: yaml.text([...at, "namespace"]),
  };
}

function parseUser(yaml: LocatedYaml, at: YamlPath): UserEntry {
  return {
    token: yaml.text([...at, "token"])?.trim() || undefined,
    tokenFile: pathIn(yaml, [...at, "tokenFile"]),
    clientCertificate: pathIn(yaml, [...at, "client-certificate"]),
    clientCertificateData: yaml.text([...at, "client-certificate-data"]),
    clientKey: pathIn(yaml, [...at, "client-key"]),
    clientKeyData: yaml.text([...at, "client-key-data"]),
    username: yaml.text([...at, "username"]),
    authProvider: yaml.text([...at, "auth-provider", "name"]),
    exec: yaml.value([...at, "exec"]) === undefined ? undefined : parseExec(yaml, [...at, "exec"]),
    impersonation: parseImpersonation(yaml, at),
  };
}

function parseExec(yaml: LocatedYaml, at: YamlPath): ExecEntry {
  const command = yaml.text([...at, "command"]);
  const env: Record<string, string> = {};
  for (let index = 0; index < yaml.count([...at, "env"]); index++) {
    const name = yaml.text([...at, "env", index, "name"]);
    if (name !== undefined) env[name] = yaml.text([...at, "env", index, "value"]) ?? "";
  }
  return {
    apiVersion: yaml.text([...at, "apiVersion"]),
    // A bare name is looked up on the PATH; anything with a slash is a file.
    command: command?.includes("/") ? pathIn(yaml, [...at, "command"]) : command,
    args: yaml.texts([...at, "args"]),
    env,
    installHint: yaml.text([...at, "installHint"]),
    interactiveMode: yaml.text([...at, "interactiveMode"]),
    provideClusterInfo: yaml.flag([...at, "provideClusterInfo"]) ?? false,
  };
}

function parseImpersonation(yaml: LocatedYaml, at: YamlPath): UserEntry["impersonation"] {
  const user = yaml.text([...at, "as"]);
  const uid = yaml.text([...at, "as-uid"]);
  const groups = yaml.texts([...at, "as-groups"]);
  const headers: Record<string, string | readonly string[]> = {};
  if (user) headers["impersonate-user"] = user;
  if (uid) headers["impersonate-uid"] = uid;
  if (groups.length > 0) headers["impersonate-group"] = groups;
  for (const name of yaml.names([...at, "as-user-extra"])) {
    headers[`impersonate-extra-${encodeURIComponent(name.toLowerCase())}`] = yaml.texts([...at, "as-user-extra", name]);
  }
  if (Object.keys(headers).length > 0 && !user)
    throw yaml.complaint(at, 'acts as a group, UID or extra, so it needs "as"');
  return headers;
}

function pathIn(yaml: LocatedYaml, at: YamlPath): string | undefined {
  const path = yaml.text(at);
  if (path === undefined || path === "") return undefined;
  return path.startsWith("/") ? path : `${yaml.file.replace(/[^/]*$/, "")}${path}`;
}
