// How users name a setting of `farrier run`: its flag and its environment variable. A kubelet adds variables for every Service of the
// pod's namespace, so no setting is read from a name that a Service can make.
import { quoted } from "../../core/values/shown.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The names under which ports were read before. A Service `farrier-webhook` makes `FARRIER_WEBHOOK_PORT=tcp://…`. */
const DEPRECATED_VARIABLES: ReadonlyMap<string, string> = new Map([
  ["httpPort", "FARRIER_HTTP_PORT"],
  ["webhookPort", "FARRIER_WEBHOOK_PORT"],
]);

const SERVICE_VARIABLE =
  /^[A-Z0-9_]+(_SERVICE_HOST|_SERVICE_PORT(_[A-Z0-9_]+)?|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;
const PLAIN_NUMBER = /^\d+$/;

/** `--webhook-port` for `webhookPort`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `FARRIER_LOG_LEVEL` for `logLevel`, and `FARRIER_WEBHOOK_PORT_NUMBER` for `webhookPort`: no Service can make either. */
export function variableOf(key: string): string {
  const name = `FARRIER_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  return name.endsWith("_PORT") ? `${name}_NUMBER` : name;
}

/** Whether a kubelet sets a variable of this name for a Service of some name with some ports. */
export function canServiceMake(variable: string): boolean {
  return SERVICE_VARIABLE.test(variable);
}

/** The variable in which the user has set this setting. */
export function variableIn(env: Environment, key: string): string | undefined {
  const variable = variableOf(key);
  if (env[variable] !== undefined) return variable;
  const deprecated = DEPRECATED_VARIABLES.get(key);
  return deprecated !== undefined && isPlainNumber(env[deprecated]) ? deprecated : undefined;
}

/** One sentence for each deprecated variable that is set: whether the operator ignores it, and what to set in its place. */
export function explainDeprecatedVariables(env: Environment): readonly string[] {
  return [...DEPRECATED_VARIABLES].flatMap(([key, variable]) => {
    const text = env[variable];
    if (text === undefined) return [];
    const fate = isPlainNumber(text) ? `${variable} is deprecated` : `${variable}: ${quoted(text)} is ignored`;
    return [`${fate}, because kubelets set this variable for a Service; set ${variableOf(key)} or ${flagOf(key)}`];
  });
}

/** A kubelet writes `tcp://…` and the like into the deprecated variables, so a plain number is the user's. */
function isPlainNumber(text: string | undefined): boolean {
  return text !== undefined && PLAIN_NUMBER.test(text);
}
