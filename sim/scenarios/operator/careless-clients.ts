// Operators with one mistake each in how they talk to the server: they believe what a fault of the network, of a watch or of a list
// takes away. Those whose mistake is in what they decide are in careless-operators.ts.

import type { HttpRequest, HttpStream, Transport } from "../../../src/kube/transport.ts";
import { TransportError } from "../../../src/kube/transport-error.ts";
import type { Ports, Start } from "../../simulator/ports.ts";
import { operating } from "./careless-operators.ts";

/** Servers send a bookmark about once a minute. */
const BOOKMARK_MS = 75_000;
/** How long it may take until a watch shows a write. */
const ECHO_MS = 5_000;

/** Takes one refusal for the last word: it never asks for the same again. */
export function givesUpAt(isTheEnd: (outcome: number | string) => boolean): Start {
  return (ports) => {
    const given = new Set<string>();
    const forever = new Promise<never>(() => undefined);
    const asked = async <T extends { readonly status: number }>(
      request: HttpRequest,
      send: (request: HttpRequest) => Promise<T>,
    ): Promise<T> => {
      const what = `${request.method} ${request.path.split("?")[0]}`;
      if (given.has(what)) return forever;
      const answer = await send(request).catch((error: unknown) => {
        if (isTheEnd(reasonOf(error))) given.add(what);
        throw error;
      });
      if (isTheEnd(answer.status)) given.add(what);
      return answer;
    };
    const { transport } = ports;
    operating({
      ...ports,
      transport: {
        request: (request) => asked(request, (one) => transport.request(one)),
        stream: (request) => asked(request, (one) => transport.stream(one)),
      },
    });
  };
}

/** Does not notice that a watch has ended. */
export const waitsForEver: Start = (ports) => {
  const { transport } = ports;
  const endless = async (stream: HttpStream): Promise<HttpStream> => ({
    ...stream,
    chunks: withoutEnd(stream.chunks),
  });
  const deaf: Transport = {
    request: (request) => transport.request(request),
    stream: async (request) => endless(await transport.stream(request)),
  };
  // Nor that it is silent.
  operating({ ...ports, transport: deaf }, { limits: { cache: { silenceMs: Number.MAX_SAFE_INTEGER } } });
};

/** Evicts pods where it should delete them, and takes a refusal for the last word. */
export const evicts: Start = (ports) => {
  const { transport } = ports;
  const evicting: Transport = {
    stream: (request) => transport.stream(request),
    request: async (request) => {
      const pod = request.method === "DELETE" ? /^(.*)\/pods\/([^/?]+)/.exec(request.path) : null;
      if (pod === null) return transport.request(request);
      const [, namespace = "", name = ""] = pod;
      const body = JSON.stringify({ apiVersion: "policy/v1", kind: "Eviction", metadata: { name } });
      const headers = { "content-type": "application/json" };
      const path = `${namespace}/pods/${name}/eviction`;
      return transport.request({ ...request, method: "POST", path, headers, body });
    },
  };
  givesUpAt((outcome) => outcome === 429)({ ...ports, transport: evicting });
};

/** Leaves a lock behind, and gives up when it finds one. */
export const findsItsOwnLock: Start = (ports) => {
  const headers = { "content-type": "application/json" };
  const metadata = { name: `lock-of-${ports.identity.split(".")[0]}`, namespace: "default" };
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata });
  const path = "/api/v1/namespaces/default/configmaps";
  void ports.transport.request({ method: "POST", path, headers, body, lane: "lease" }).then(({ status }) => {
    if (status === 201) operating(ports);
  });
};

/** Stops with an error when a watch brings no bookmark for longer than servers take for one. */
export const countsOnBookmarks: Start = (ports) => {
  const { clock } = ports;
  withStreams(ports, () => {
    let cancel = () => {};
    return {
      end: () => cancel(),
      piece: (text) => {
        if (!text.startsWith('{"type":"BOOKMARK"')) return;
        cancel();
        cancel = clock.after(BOOKMARK_MS, () => {
          throw new Error(`no bookmark for ${BOOKMARK_MS} ms`);
        });
      },
    };
  });
};

/** Stops with an error when a watch does not soon show a pod that it has made. */
export const countsOnEchoes: Start = (ports) => {
  const { transport, clock } = ports;
  const expected = new Map<string, () => void>();
  const expectEcho = (name: string) =>
    expected.set(
      name,
      clock.after(ECHO_MS, () => {
        throw new Error(`${name} was made ${ECHO_MS} ms ago, and no watch shows it`);
      }),
    );
  const request: Transport["request"] = async (sent) => {
    const answer = await transport.request(sent);
    const isMade = sent.method === "POST" && /\/pods(\?|$)/.test(sent.path) && answer.status === 201;
    if (isMade) expectEcho(/"name":"([^"]*)"/.exec(String(sent.body))?.[1] ?? "");
    return answer;
  };
  withStreams({ ...ports, transport: { ...transport, request, stream: (sent) => transport.stream(sent) } }, () => ({
    end: () => undefined,
    piece: (text) => {
      for (const [name, cancel] of expected) if (text.includes(`"name":"${name}"`)) cancel();
    },
  }));
};

/** Takes the first page of a list for all of it. */
export const readsFirstPage: Start = (ports) => {
  const { transport } = ports;
  const versions = new Map<string, string>();
  const placeOf = ({ path }: HttpRequest) => path.split("?")[0] ?? "";
  const stream: Transport["stream"] = async (sent) => {
    if (sent.path.includes("continue=")) return emptyList(versions.get(placeOf(sent)) ?? "");
    const answer = await transport.stream(sent);
    const note = (text: string) => {
      const [, version] = /^\{"kind":"\w+List".*?"resourceVersion":"(\d+)"/.exec(text) ?? [];
      if (version !== undefined) versions.set(placeOf(sent), version);
    };
    return { ...answer, chunks: tapped(answer.chunks, { piece: note, end: () => undefined }) };
  };
  operating({ ...ports, transport: { request: (sent) => transport.request(sent), stream } }, pagesOfOne);
};

/** As small as pages get; lists come in pages from servers that do not stream them. */
const pagesOfOne = { limits: { cache: { pageSize: 1 } } };

/** The same limits without the mistake. */
export const readsAllPages: Start = (ports) => void operating(ports, pagesOfOne);

function emptyList(resourceVersion: string): HttpStream {
  const body = JSON.stringify({ kind: "List", apiVersion: "v1", metadata: { resourceVersion }, items: [] });
  const chunks = (async function* () {
    yield new TextEncoder().encode(body);
  })();
  return { status: 200, headers: { "content-type": "application/json" }, chunks };
}

type Listener = { readonly piece: (text: string) => void; readonly end: () => void };

/** The operator, with somebody listening to each of its streams. */
function withStreams(ports: Ports, listen: () => Listener): void {
  const { transport } = ports;
  const stream: Transport["stream"] = async (sent) => {
    const answer = await transport.stream(sent);
    return { ...answer, chunks: tapped(answer.chunks, listen()) };
  };
  operating({ ...ports, transport: { request: (sent) => transport.request(sent), stream } });
}

async function* tapped(chunks: AsyncIterable<Uint8Array>, { piece, end }: Listener): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of chunks) {
      piece(new TextDecoder().decode(chunk));
      yield chunk;
    }
  } finally {
    end();
  }
}

async function* withoutEnd(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* chunks;
  await new Promise<never>(() => undefined);
}

function reasonOf(error: unknown): string {
  return error instanceof TransportError ? error.reason : "";
}
