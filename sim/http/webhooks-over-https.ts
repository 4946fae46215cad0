// Calls a webhook over HTTPS as kube-apiserver does: at the URL of its configuration, trusting the authority that the
// configuration names, or those of the machine when it names none.
// Caveats: there is no network of services here, so a webhook that is named by its service cannot be reached and its
// failure policy decides; each call makes a connection of its own.
import { request } from "node:https";
import { isJsonObject, type JsonObject } from "../../src/core/json/json.ts";
import type { Clock } from "../../src/kube/clock.ts";
import type { CallWebhook } from "../api-server/admission/call-webhook.ts";
import { objectAt, textAt } from "../api-server/api-object.ts";
import { readJson } from "../api-server/request/json-body.ts";

/** The longest that a configuration may ask for; whoever asked has given up by then. */
export const CALL_MS_MAX = 30_000;
/** What kube-apiserver reads of an answer. */
export const ANSWER_BYTES_MAX = 3 * 1024 * 1024;
/** Of what a webhook says that refuses; the rest is for its own log. */
const REFUSAL_CHARACTERS_MAX = 200;

/** A caller for the embedded API server; it rejects, naming the address, when a webhook gives no review back. */
export function webhooksOverHttps(clock: Clock): CallWebhook {
  return async (clientConfig, review) => {
    const url = addressOf(clientConfig);
    try {
      return await post(url, clientConfig, review, clock);
    } catch (cause) {
      throw new Error(`Post "${url}": ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  };
}

function addressOf(clientConfig: JsonObject): URL {
  const text = textAt(clientConfig, "url");
  const { name, namespace } = objectAt(clientConfig, "service");
  if (text === "")
    throw new Error(
      `service "${namespace}/${name}" cannot be reached: this control plane has no network of services; give clientConfig.url instead`,
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:") throw new Error(`"${text}" is no https:// address; correct clientConfig.url`);
  return url;
}

async function post(url: URL, { caBundle }: JsonObject, review: JsonObject, clock: Clock): Promise<JsonObject> {
  const end = new AbortController();
  const cancel = clock.after(CALL_MS_MAX, () => end.abort(new Error("context deadline exceeded")));
  try {
    const text = await exchange(url, JSON.stringify(review), authorityOf(caBundle), end.signal);
    const read = readJson(text);
    if (read.ok && isJsonObject(read.value)) return read.value;
    throw new Error("it answered with no JSON object");
  } catch (error) {
    throw end.signal.aborted ? end.signal.reason : error;
  } finally {
    cancel();
  }
}

function authorityOf(caBundle: unknown): { readonly ca?: string } {
  return typeof caBundle === "string" && caBundle !== "" ? { ca: Buffer.from(caBundle, "base64").toString() } : {};
}

/** The text of an answer that says yes; a refusal is told with its beginning. */
function exchange(url: URL, body: string, trust: { readonly ca?: string }, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", accept: "application/json" };
    const call = request(url, { method: "POST", headers, agent: false, signal, ...trust }, async (answer) => {
      try {
        const text = await textOf(answer);
        const code = answer.statusCode ?? 0;
        if (code >= 200 && code < 300) resolve(text);
        else reject(new Error(`it answered with ${code}: ${text.slice(0, REFUSAL_CHARACTERS_MAX)}`));
      } catch (error) {
        answer.destroy();
        reject(error);
      }
    });
    call.on("error", reject);
    call.end(body);
  });
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.byteLength;
    if (size > ANSWER_BYTES_MAX) throw new Error(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    read.push(piece);
  }
  return Buffer.concat(read).toString();
}
