// What may be written down. Every field of every log line passes here: credentials are replaced, long and deep values cut.
// Guarantees: the result is plain JSON of bounded size; nothing under a credential's name and no Secret's content is in it.
// Caveats: a secret inside free text is found only if it looks like one (bearer, JWT, private key, user:password@host).

const MASK = "[redacted]";
const DEPTH_MAX = 6;
const ENTRIES_MAX = 100;
/** Values in one line, all levels together. */
const VALUES_MAX = 1_000;
const TEXT_LENGTH_MAX = 4_096;
const STACK_LINES_MAX = 12;
const CAUSES_MAX = 5;

/** Names under which credentials live, in lower case without separators, as the end of the name: `accessToken`, `tls.key`. */
const credentialName =
  /(token|password|passwd|passphrase|authorization|cookie|clientsecret|privatekey|apikey|keydata|certificatedata|credentials?|dockerconfigjson|^(tls|ca|next|client)key)$/;

const credentialTexts: readonly RegExp[] = [
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  // The first part of a JSON Web Token is base64 of `{"…`; whatever follows it belongs to it.
  /\beyJ[\w-]{10,}(?:\.[\w-]*){0,2}/g,
  // A block that was cut off has no end line, and is still a key.
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

const credentialInUrl = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{1,200}:[^\s/@]{1,400}@/gi;

type Walk = { readonly depth: number; readonly budget: { left: number } };

/** The fields of a log line, safe to write. */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactEntries(Object.entries(fields), { depth: 0, budget: { left: VALUES_MAX } });
}

/** A text without credentials, of bounded length. */
export function redactText(text: string): string {
  const cut = text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}… (${text.length} characters)` : text;
  const masked = credentialTexts.reduce((rest, pattern) => rest.replaceAll(pattern, MASK), cut);
  return masked.replaceAll(credentialInUrl, `$1${MASK}@`);
}

function redactValue(value: unknown, walk: Walk): unknown {
  walk.budget.left -= 1;
  if (walk.budget.left < 0) return "[too much]";
  switch (typeof value) {
    case "string":
      return redactText(value);
    case "bigint":
    case "symbol":
      return String(value);
    case "function":
      return undefined;
    case "object":
      return value === null ? null : redactObject(value, walk);
    default:
      return value;
  }
}

function redactObject(value: object, walk: Walk): unknown {
  if (value instanceof Error) return redactError(value, 0);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (walk.depth >= DEPTH_MAX) return "[too deep]";
  if (Array.isArray(value)) {
    const kept = value.slice(0, ENTRIES_MAX).map((item) => redactValue(item, deeper(walk)));
    return value.length > ENTRIES_MAX ? [...kept, `… (${value.length} items)`] : kept;
  }
  if ("kind" in value && value.kind === "Secret") return redactSecret(value, walk);
  return redactEntries(Object.entries(value), walk);
}

function redactEntries(entries: readonly (readonly [string, unknown])[], walk: Walk): Record<string, unknown> {
  const kept = entries
    .slice(0, ENTRIES_MAX)
    .map(([name, value]): [string, unknown] => [name, isCredential(name) ? MASK : redactValue(value, deeper(walk))]);
  if (entries.length > ENTRIES_MAX) kept.push(["…", `${entries.length} entries`]);
  return Object.fromEntries(kept);
}

/** Of a Secret only its name is nobody's secret: annotations may repeat the content. */
function redactSecret(secret: object, walk: Walk): unknown {
  const metadata = "metadata" in secret && typeof secret.metadata === "object" ? secret.metadata : null;
  const named = Object.entries(metadata ?? {}).filter(([name]) => name === "name" || name === "namespace");
  return { kind: "Secret", metadata: redactEntries(named, deeper(walk)), content: MASK };
}

function redactError(error: Error, causes: number): Record<string, unknown> {
  const frames = (error.stack ?? "").split("\n").filter((line) => line.trimStart().startsWith("at "));
  const cause = causes < CAUSES_MAX && error.cause instanceof Error ? redactError(error.cause, causes + 1) : undefined;
  return {
    type: error.name,
    message: redactText(error.message),
    stack: frames.slice(0, STACK_LINES_MAX).map((line) => line.trim()),
    ...(cause === undefined ? {} : { cause }),
  };
}

function deeper(walk: Walk): Walk {
  return { depth: walk.depth + 1, budget: walk.budget };
}

function isCredential(name: string): boolean {
  return credentialName.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
}
