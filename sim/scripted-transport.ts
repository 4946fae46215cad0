// A server that follows a script: the binding of the Transport port for tests that state each answer and look at each request.
import type { HttpAnswer, HttpRequest, HttpStream, Transport } from "../src/kube/transport.ts";

/** An answer, an error to throw, or a function that makes either; `undefined` never answers. */
export type Scripted =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json?: unknown;
      readonly text?: string;
    }
  | Error
  | undefined;

export class ScriptedTransport implements Transport {
  readonly requests: HttpRequest[] = [];
  readonly #answer: (request: HttpRequest, index: number) => Scripted;

  /** Answers from a list, in order, or by a function of the request and its number. */
  constructor(script: readonly Scripted[] | ((request: HttpRequest, index: number) => Scripted)) {
    this.#answer = typeof script === "function" ? script : (request, index) => nextOf(script, request, index);
  }

  /** The body of the request with this number, parsed. */
  sent(index: number): unknown {
    const body = this.requests[index]?.body;
    return typeof body === "string" ? JSON.parse(body) : undefined;
  }

  request(request: HttpRequest): Promise<HttpAnswer> {
    this.requests.push(request);
    const scripted = this.#answer(request, this.requests.length - 1);
    if (scripted === undefined) return new Promise(() => undefined);
    if (scripted instanceof Error) return Promise.reject(scripted);
    return Promise.resolve(answerOf(scripted));
  }

  async stream(request: HttpRequest): Promise<HttpStream> {
    const { status, headers, body } = await this.request(request);
    const chunks = async function* () {
      yield body;
    };
    return { status, headers, chunks: chunks() };
  }
}

function nextOf(script: readonly Scripted[], request: HttpRequest, index: number): Scripted {
  if (index < script.length) return script[index];
  throw new Error(`the script ends after ${script.length} answers; ${request.method} ${request.path} came as well`);
}

function answerOf(scripted: Exclude<Scripted, Error | undefined>): HttpAnswer {
  const text = scripted.text ?? JSON.stringify(scripted.json ?? {});
  const headers = { "content-type": "application/json", ...scripted.headers };
  return { status: scripted.status, headers, body: new TextEncoder().encode(text) };
}
