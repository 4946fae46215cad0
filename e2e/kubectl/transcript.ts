// The session as text, without what differs from run to run: identities, versions, times and the widths that follow from them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ran } from "./kubectl.ts";
import { type Kubectl, runKubectl, watchKubectl } from "./kubectl.ts";
import type { Chapter, Input, Step } from "./session.ts";

/** A command and what came of it. */
export type Scene = { readonly command: string; readonly text: string };

const masks: readonly (readonly [seen: RegExp, shown: string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID"],
  [/\b2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME"],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} 2\d{3} \d\d:\d\d:\d\d \+0000/g, "TIME"],
  [/(?<=^[-+].*)\b2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000/gm, "TIME"],
  [/((?:"?resourceVersion"?|Resource Version): *"?)\d+/g, "$1VERSION"],
  [/https:\/\/127\.0\.0\.1:\d+/g, "https://SERVER"],
  // Ages; not what a container asks for of a processor.
  [/(?<![\w.:/"-]|cpu: +)\d+(\.\d+)?(ms|[smhdy])(\d+[smhd])?(?![\w/])/g, "AGE"],
  // kubectl diff compares two files in folders with names of their own.
  [/\/\S*\/(LIVE|MERGED)-\d+/g, "$1"],
  [/kubectl-edit-\d+/g, "kubectl-edit"],
];

/** Text without what differs from run to run. */
export function masked(text: string): string {
  const plain = masks.reduce((seen, [from, to]) => seen.replaceAll(from, to), text);
  // Columns are as wide as the widest age in them.
  return plain.replaceAll(/(?<=[^\s+-]) {2,}/g, "  ").replaceAll(/[ \t]+$/gm, "");
}

/** Plays all chapters, one command after the other. */
export async function play(kubectl: Kubectl, chapters: readonly Chapter[]): Promise<readonly Scene[]> {
  const scenes: Scene[] = [];
  for (const { steps } of chapters) for (const step of steps) scenes.push(await playStep(kubectl, step));
  return scenes;
}

async function playStep(kubectl: Kubectl, step: Step): Promise<Scene> {
  if ("run" in step) {
    const input = step.input === undefined ? "" : await inputText(kubectl, step.input);
    const ran = await runKubectl(kubectl, step.run, { edit: step.edit, input });
    return { command: step.run, text: masked(shown(ran)) };
  }
  const during = async () => {
    for (const command of step.during) await runKubectl(kubectl, command);
  };
  const text = await watchKubectl(kubectl, step.watch, step.lines, during);
  return {
    command: [step.watch, ...step.during.map((command) => `  ${command}`)].join("\n$ kubectl "),
    text: masked(text),
  };
}

async function inputText(kubectl: Kubectl, { file, owner }: Input): Promise<string> {
  const { out } = await runKubectl(kubectl, `get ${owner} -o jsonpath={.metadata.uid}`);
  return readFileSync(join(kubectl.folder, file), "utf8").replaceAll("OWNER_UID", out);
}

function shown({ code, out, err }: Ran): string {
  const told = err.replaceAll(/^(?=.)/gm, "! ");
  return `${ended(out)}${ended(told)}${code === 0 ? "" : `(exit ${code})\n`}`;
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The scenes as one text, to be read. */
export function printTranscript(chapters: readonly Chapter[], scenes: readonly Scene[]): string {
  const left = [...scenes];
  return chapters
    .map(({ title, steps }) => {
      const told = left.splice(0, steps.length).map(({ command, text }) => `$ kubectl ${command}\n${text}`);
      return `# ${title}\n\n${told.join("\n")}`;
    })
    .join("\n");
}
