// The conversation with the child process, where it goes wrong.
import { expect, test } from "vitest";
import { BATCH_MAX, Oracle, type Question } from "./oracle.ts";

const question: Question = { concept: "json", case: { text: "1" } };

test("an oracle that ends rejects what waits and what is asked later", async () => {
  const oracle = new Oracle("false");
  await expect(oracle.ask([question])).rejects.toThrow("the oracle ended");
  await expect(oracle.ask([question])).rejects.toThrow("the oracle ended");
});

test("a program that is not there rejects with its name", async () => {
  await expect(new Oracle("no-such-oracle").ask([question])).rejects.toThrow("no-such-oracle");
});

test("more questions than a batch are refused before anything is sent", async () => {
  const oracle = new Oracle("cat");
  const tooMany = Array.from({ length: BATCH_MAX + 1 }, () => question);
  await expect(oracle.ask(tooMany)).rejects.toThrow(`the limit is ${BATCH_MAX}`);
  oracle.close();
});
