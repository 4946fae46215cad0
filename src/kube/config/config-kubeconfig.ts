// The configuration of a user's machine: kubeconfig files merged as kubectl merges them, and one context of the result.

import { MissingFileError } from "../files.ts";
import type { ClusterConfig, ConfigParts, ConfigWishes } from "./cluster-config.ts";
import { ExecPlugin } from "./config-exec.ts";
import {
  type ClusterEntry,
  type Filed,
  KUBECONFIG_BYTES_MAX,
  type Kubeconfig,
  parseKubeconfigFile,
  type UserEntry,
} from "./config-kubeconfig-file.ts";
import { type CredentialParts, credentialSource } from "./credential-parts.ts";
import { type ChangingText, faultOfPem, faultOfToken, fixedText, RereadFile } from "./reread-file.ts";

/** Reads the files and takes one context of them; throws an error that names the file and the entry at fault. */
export async function kubeconfigConfig(parts: ConfigParts, wishes: ConfigWishes): Promise<ClusterConfig> {
  const { paths, isExplicit } = pathsOf(parts.env, wishes.kubeconfig);
  const files = await Promise.all(paths.map((path) => readFile(parts, path, isExplicit)));
  const found = files.filter((file) => file !== undefined);
  if (found.length === 0) {
    const places = paths.length === 0 ? "no HOME is set" : `looked for ${paths.join(", ")}`;
    throw new Error(`no kubeconfig is there (${places}), and this is not a pod; set KUBECONFIG or give --kubeconfig`);
  }
  return configOf(parts, merge(found), wishes.context, paths.join(":"));
}

function pathsOf(env: ConfigParts["env"], wish: string | undefined) {
  if (wish !== undefined && wish !== "") return { paths: [wish], isExplicit: true };
  const listed = (env.KUBECONFIG ?? "").split(":").filter((path) => path !== "");
  if (listed.length > 0) return { paths: listed, isExplicit: false };
  return { paths: env.HOME ? [`${env.HOME}/.kube/config`] : [], isExplicit: false };
}

/** Files of a list may be missing, as in kubectl; a file that was asked for by name may not. */
async function readFile(parts: ConfigParts, path: string, isExplicit: boolean): Promise<Kubeconfig | undefined> {
  try {
    const bytes = await parts.files.read(path);
    if (bytes.byteLength > KUBECONFIG_BYTES_MAX) throw new Error(`${path}: too large for a kubeconfig`);
    return parseKubeconfigFile(path, new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof MissingFileError && !isExplicit) return undefined;
    throw error;
  }
}

/** The first file that has a name decides all of that entry, and the first current context counts. */
function merge(files: readonly Kubeconfig[]): Kubeconfig {
  const byName = <T>(pick: (file: Kubeconfig) => ReadonlyMap<string, T>) =>
    new Map(files.toReversed().flatMap((file) => [...pick(file)]));
  return {
    currentContext: files.find((file) => file.currentContext !== undefined)?.currentContext,
    clusters: byName((file) => file.clusters),
    users: byName((file) => file.users),
    contexts: byName((file) => file.contexts),
  };
}

function configOf(parts: ConfigParts, config: Kubeconfig, wish: string | undefined, places: string): ClusterConfig {
  const context = contextOf(config, wish, places);
  const cluster = config.clusters.get(context.cluster ?? "");
  if (cluster === undefined) {
    throw new Error(`${context.at("cluster")}: there is no cluster "${context.cluster ?? ""}"; add it or name another`);
  }
  const user = context.user ? config.users.get(context.user) : undefined;
  if (context.user && user === undefined) {
    throw new Error(`${context.at("user")}: there is no user "${context.user}"; add it or name another`);
  }
  const server = serverOf(cluster);
  const credentials = credentialsOf(parts, cluster, user);
  assertConfidential(cluster, server, credentials);
  const origin = `context "${context.name}" of ${context.file}`;
  return {
    origin,
    server,
    namespace: context.namespace || "default",
    credentials: credentialSource(credentials),
    ...(cluster.proxyUrl ? { proxyUrl: cluster.proxyUrl } : {}),
  };
}

function contextOf(config: Kubeconfig, wish: string | undefined, places: string) {
  const choices = `choose one of: ${[...config.contexts.keys()].sort().join(", ") || "none"}`;
  const name = wish || config.currentContext?.name;
  if (name === undefined) throw new Error(`${places}: no current-context is set; give --context and ${choices}`);
  const context = config.contexts.get(name);
  if (context !== undefined) return { ...context, name };
  const whoSays = wish ? places : (config.currentContext?.at() ?? places);
  throw new Error(`${whoSays}: there is no context "${name}"; ${choices}`);
}

function serverOf(cluster: Filed<ClusterEntry>): string {
  const { server = "", at } = cluster;
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    throw new Error(`${at("server")} must be an address that begins with https://`);
  }
  const url = new URL(server);
  if (url.username !== "" || url.password !== "")
    throw new Error(`${at("server")} must not hold a password; use a token`);
  const { proxyUrl } = cluster;
  if (proxyUrl && (!URL.canParse(proxyUrl) || !/^https?:$/.test(new URL(proxyUrl).protocol))) {
    throw new Error(`${at("proxy-url")} must be an address that begins with http:// or https://`);
  }
  if (cluster.skipVerify && (cluster.certificateAuthority || cluster.certificateAuthorityData)) {
    throw new Error(`${at("insecure-skip-tls-verify")} and a certificate authority exclude each other; remove one`);
  }
  return server;
}

function credentialsOf(
  parts: ConfigParts,
  cluster: Filed<ClusterEntry>,
  user: Filed<UserEntry> | undefined,
): CredentialParts {
  if (user !== undefined) assertSupported(user);
  const pem = (
    entry: Filed<object> | undefined,
    field: string,
    given: { readonly data: string | undefined; readonly path: string | undefined },
  ): ChangingText | undefined => {
    if (given.data) return fixedText(decode(entry?.at(field) ?? field, given.data));
    return given.path === undefined ? undefined : new RereadFile(parts, given.path, faultOfPem);
  };
  const ca = pem(cluster, "certificate-authority-data", {
    data: cluster.certificateAuthorityData,
    path: cluster.certificateAuthority,
  });
  const exec = user?.exec;
  const target = async () => ({ cluster, ca: await ca?.read() });
  return {
    ca,
    token: user === undefined ? undefined : tokenOf(parts, user),
    cert: pem(user, "client-certificate-data", { data: user?.clientCertificateData, path: user?.clientCertificate }),
    key: pem(user, "client-key-data", { data: user?.clientKeyData, path: user?.clientKey }),
    plugin: exec === undefined ? undefined : new ExecPlugin(parts, exec, target, user?.at("exec") ?? "exec"),
    serverName: cluster.tlsServerName,
    skipVerify: cluster.skipVerify,
    impersonation: user?.impersonation,
  };
}

function assertSupported({ authProvider, username, at }: Filed<UserEntry>): void {
  if (authProvider !== undefined) {
    const remedy = "use its exec plugin instead";
    throw new Error(`${at("auth-provider")}: "${authProvider}" is gone from Kubernetes; ${remedy}`);
  }
  if (username !== undefined) {
    const remedy = "use a token, a certificate or an exec plugin";
    throw new Error(`${at("username")}: passwords are gone from Kubernetes; ${remedy}`);
  }
}

/** As in kubectl, a token file goes before a token. */
function tokenOf(parts: ConfigParts, user: Filed<UserEntry>): ChangingText | undefined {
  if (user.tokenFile !== undefined) return new RereadFile(parts, user.tokenFile, faultOfToken);
  if (user.token === undefined) return undefined;
  const fault = faultOfToken(user.token);
  if (fault !== undefined) throw new Error(`${user.at("token")} ${fault}; fetch a new kubeconfig`);
  return fixedText(user.token);
}

function decode(what: string, base64: string): string {
  let pem: string;
  try {
    pem = atob(base64.replace(/\s+/g, "")).trim();
  } catch {
    throw new Error(`${what} is not base64; it may be cut off, so fetch a new kubeconfig`);
  }
  const fault = faultOfPem(pem);
  if (fault !== undefined) throw new Error(`${what} ${fault}; fetch a new kubeconfig`);
  return pem;
}

/** A token over a plain connection belongs to everybody on the way. */
function assertConfidential(cluster: Filed<ClusterEntry>, server: string, credentials: CredentialParts): void {
  const url = new URL(server);
  const isLocal = /^(localhost|127(\.[0-9]+){3}|\[::1\])$/.test(url.hostname);
  const hasSecret = credentials.token !== undefined || credentials.plugin !== undefined;
  if (url.protocol === "https:" || isLocal || !hasSecret) return;
  throw new Error(`${cluster.at("server")} is not https, so credentials would be readable on the way; use https://`);
}
