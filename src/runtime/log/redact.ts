// What may be written down. Every field of every log line passes here: credentials are replaced, long and deep values cut.
// Guarantees: the result is plain JSON of bounded size, whatever was handed in; nothing under a credential's name and no
// Secret's content is in it. Caveats: see redact-text.ts for secrets inside free text.
import { isCredentialName, MASK, redactText } from "./redact-text.ts";

const DEPTH_MAX = 6;
const ENTRIES_MAX = 100;
/** Values in one line, all levels together. */
const VALUES_MAX = 1_000;
const NAME_LENGTH_MAX = 200;
const STACK_LINES_MAX = 12;
const CAUSES_MAX = 5;
/** A getter or proxy that throws must not cost the line, let alone the one who wrote it. */
const UNREADABLE = "[unreadable]";

type Walk = { readonly depth: number; readonly budget: { left: number } };

/** The fields of a log line, safe to write. */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  try {
    return redactEntries(Object.entries(fields), { depth: 0, budget: { left: VALUES_MAX } });
  } catch {
    return { fields: UNREADABLE };
  }
}

function redactValue(value: unknown, walk: Walk): unknown {
  walk.budget.left -= 1;
  if (walk.budget.left < 0) return "[too much]";
  switch (typeof value) {
    case "string":
      return redactText(value);
    case "bigint":
    case "symbol":
      return redactText(String(value));
    case "function":
      return undefined;
    case "object":
      return value === null ? null : redactReadable(value, walk);
    default:
      return value;
  }
}

function redactReadable(value: object, walk: Walk): unknown {
  try {
    return redactObject(value, walk);
  } catch {
    return UNREADABLE;
  }
}

function redactObject(value: object, walk: Walk): unknown {
  if (value instanceof Error) return redactError(value, 0);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (walk.depth >= DEPTH_MAX) return "[too deep]";
  if (Array.isArray(value)) {
    const kept = value
      .slice(0, ENTRIES_MAX)
      .map((item, at) => (isNamedCredential(value[at - 1]) ? MASK : redactValue(item, deeper(walk))));
    return value.length > ENTRIES_MAX ? [...kept, `… (${value.length} items)`] : kept;
  }
  if ("kind" in value && value.kind === "Secret") return redactSecret(value, walk);
  // The items of a list do not name their kind.
  if ("kind" in value && value.kind === "SecretList") return { kind: value.kind, content: MASK };
  return redactEntries(Object.entries(value), walk);
}

function redactEntries(entries: readonly (readonly [string, unknown])[], walk: Walk): Record<string, unknown> {
  const isNamed = entries.some(([name, value]) => name === "name" && isNamedCredential(value));
  const isSecret = (name: string) => isCredentialName(name) || (isNamed && name === "value");
  const kept = entries
    .slice(0, ENTRIES_MAX)
    .map(([name, value]): [string, unknown] => [
      redactText(name).slice(0, NAME_LENGTH_MAX),
      isSecret(name) ? MASK : redactValue(value, deeper(walk)),
    ]);
  if (entries.length > ENTRIES_MAX) kept.push(["…", `${entries.length} entries`]);
  return Object.fromEntries(kept);
}

/** Names that are values themselves: of an environment variable, or of a header in a list; what follows is the credential. */
function isNamedCredential(name: unknown): boolean {
  return typeof name === "string" && isCredentialName(name);
}

/** Of a Secret only its name is nobody's secret: annotations may repeat the content. */
function redactSecret(secret: object, walk: Walk): unknown {
  const metadata = "metadata" in secret && typeof secret.metadata === "object" ? secret.metadata : null;
  const named = Object.entries(metadata ?? {}).filter(([name]) => name === "name" || name === "namespace");
  return { kind: "Secret", metadata: redactEntries(named, deeper(walk)), content: MASK };
}

/** Whatever somebody threw: its parts may be of any type, and lines of its message may look like those of its stack. */
function redactError(error: Error, causes: number): Record<string, unknown> {
  const frames = String(error.stack ?? "")
    .split("\n")
    .filter((line) => line.trimStart().startsWith("at "));
  const cause = causes < CAUSES_MAX && error.cause instanceof Error ? redactError(error.cause, causes + 1) : undefined;
  return {
    type: redactText(String(error.name)),
    message: redactText(String(error.message)),
    stack: frames.slice(0, STACK_LINES_MAX).map((line) => redactText(line.trim())),
    ...(cause === undefined ? {} : { cause }),
  };
}

function deeper(walk: Walk): Walk {
  return { depth: walk.depth + 1, budget: walk.budget };
}
