// Which documents are pod templates to Go: only those can take the typed path of the enhancement proposal.
import { readFile } from "node:fs/promises";
import { type GoLayout, goDump } from "../../src/core/hash/go-dump.ts";
import { podTemplateType } from "../../src/core/hash/template-hash.ts";
import { isJsonList, isJsonObject, type Json } from "../../src/core/json/json.ts";

/** Returns a check whether Go's type of the newest release holds all of a document. */
export async function loadTypedTemplateCheck(): Promise<(document: Json) => boolean> {
  const file = new URL("../../src/core/hash/vectors/pod-template-layouts.json", import.meta.url);
  const layout = layoutOf(JSON.parse(await readFile(file, "utf8")));
  return (document) => isJsonObject(document) && goDump(layout, podTemplateType, document).ok;
}

/** The file keeps each struct once per group of releases, and each field as "GoName jsonName type", "-" for embedded. */
function layoutOf(written: Json): GoLayout {
  if (!isJsonObject(written)) throw new Error("pod-template-layouts.json is not an object");
  const structs = entriesOf(written.structs).map(([name, variants]) => {
    const newest = isJsonList(variants) ? variants.at(-1) : undefined;
    const fields = isJsonObject(newest) && isJsonList(newest.fields) ? newest.fields : [];
    return [name, fields.map((field) => fieldOf(String(field)))] as const;
  });
  const named = entriesOf(written.named).map(([name, type]) => [name, String(type)] as const);
  return { structs: new Map(structs), named: new Map(named) };
}

function entriesOf(value: Json | undefined): readonly [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function fieldOf(written: string) {
  const [name = "", json = "", type = ""] = written.split(" ");
  return { name, json: json === "-" ? "" : json, type };
}
