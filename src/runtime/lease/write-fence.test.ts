import { expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { createClient } from "../../kube/client/create-client.ts";
import type { HttpRequest, Transport } from "../../kube/transport.ts";
import { TransportError } from "../../kube/transport-error.ts";
import { leases } from "./lease-record.ts";
import { fenceWrites, NotLeadingError } from "./write-fence.ts";

const sent: HttpRequest[] = [];
const answering: Transport = {
  request: async (request) => {
    sent.push(request);
    return { status: 200, headers: {}, body: new Uint8Array() };
  },
  stream: async () => ({ status: 200, headers: {}, chunks: (async function* () {})() }),
};
const closed = () => {
  throw new NotLeadingError("not now");
};

test.each(["POST", "PUT", "PATCH", "DELETE"] as const)("a closed fence lets no %s out", async (method) => {
  sent.length = 0;
  const transport = fenceWrites(answering, closed);
  await expect(transport.request({ method, path: "/x", headers: {}, lane: "calls" })).rejects.toThrow(NotLeadingError);
  expect(sent).toEqual([]);
});

test("reads and watches pass a closed fence", async () => {
  sent.length = 0;
  const transport = fenceWrites(answering, closed);
  const read = { method: "GET", path: "/x", headers: {}, lane: "calls" } as const;
  expect((await transport.request(read)).status).toBe(200);
  expect((await transport.stream(read)).status).toBe(200);
});

test("a client's own retry meets the fence again", async () => {
  const clock = new VirtualClock();
  let isOpen = true;
  let attempts = 0;
  const unreachable: Transport = {
    ...answering,
    request: async () => {
      attempts += 1;
      isOpen = false;
      throw new TransportError("unreachable", "connection refused");
    },
  };
  const transport = fenceWrites(unreachable, () => isOpen || closed());
  const client = createClient({ transport, clock, rand: { next: () => 0 }, fieldManager: "test" });
  const call = client.patch(leases, "ns/name", { type: "merge", body: {} });
  const outcome = expect(call).rejects.toThrow(NotLeadingError);
  await clock.elapse(60_000);
  await outcome;
  expect(attempts).toBe(1);
});
