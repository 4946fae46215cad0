// The credentials for one registry out of a pull secret. Nothing of it is ever logged, reported or kept.
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { parseJson } from "../../core/json/parse-json.ts";

/** The value of an Authorization header. */
export type Basic = string;

const CONFIG_KEY = ".dockerconfigjson";
const DOCKER_HUB = "registry-1.docker.io";
/** How docker's own tools call the default registry in their files. */
const dockerHubNames = ["docker.io", "index.docker.io", "https://index.docker.io/v1/"];

/** What a Secret of type kubernetes.io/dockerconfigjson says for a host; undefined when that is nothing. */
export function credentialsIn(secret: JsonObject, host: string): Basic | undefined {
  const encoded = isJsonObject(secret.data) ? secret.data[CONFIG_KEY] : undefined;
  const config = typeof encoded === "string" ? parseJson(decoded(encoded)) : undefined;
  const auths = config?.ok && isJsonObject(config.value) ? config.value.auths : undefined;
  if (!isJsonObject(auths)) return undefined;
  const names = host === DOCKER_HUB ? [host, ...dockerHubNames] : [host];
  const entry = Object.entries(auths).find(([name]) => names.includes(name) || names.includes(hostIn(name)));
  return entry === undefined ? undefined : basicOf(entry[1]);
}

function basicOf(entry: Json): Basic | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { auth, username, password } = entry;
  if (typeof auth === "string" && /^[A-Za-z0-9+/]+=*$/.test(auth)) return `Basic ${auth}`;
  if (typeof username !== "string" || typeof password !== "string") return undefined;
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)))}`;
}

function hostIn(name: string): string {
  return name.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
}

/** Empty when it is no base64. */
function decoded(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return "";
  }
}
