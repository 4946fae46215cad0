// When an episode that was cut down still shows the difference that was found.
import { expect, test } from "vitest";
import { type Difference, isSameDifference } from "./difference.ts";

const found: Difference = {
  says: "apply",
  sent: { path: "/a" },
  real: { status: 422, body: { message: "in d-1", causes: [{ field: "a" }, { field: "b" }] } },
  embedded: { status: 422, body: { message: "in d-1", causes: [{ field: "a" }] } },
};

const others: Readonly<Record<string, readonly [boolean, Partial<Difference>]>> = {
  "is the same, whatever was sent": [true, { sent: { path: "/b" } }],
  "is the same when it stands elsewhere in a list": [
    true,
    {
      real: { status: 422, body: { message: "in d-2", causes: [{ field: "b" }] } },
      embedded: { status: 422, body: { message: "in d-2", causes: [] } },
    },
  ],
  "is another at another operation": [false, { says: "create" }],
  "is another with another status": [false, { real: { status: 404, body: {} }, embedded: { status: 422, body: {} } }],
  "is another in another field": [
    false,
    { real: { status: 422, body: { code: 1 } }, embedded: { status: 422, body: {} } },
  ],
};

test.each(Object.entries(others))("a difference %s", (_, [isSame, more]) => {
  expect(isSameDifference(found, { ...found, ...more })).toBe(isSame);
});
