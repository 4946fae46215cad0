// `farrier snapshot`: everything that decisions are made from, in one file that the other commands can read with `--from`. No Secrets.
import { canonicalJson } from "../core/json/canonical-json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { CliPorts } from "./cli-ports.ts";
import { EXIT, type Exit } from "./command-error.ts";
import { withoutNoise } from "./input/cluster-objects.ts";
import { yamlText } from "./input/kubectl-yaml.ts";
import { kindOf, readSource, type SourceOptions } from "./input/source.ts";
import type { Format } from "./output/format.ts";

/** Prints the snapshot as a list that kubectl could read, too. */
export async function snapshot(
  options: SourceOptions & { readonly output: Format },
  kinds: readonly Kind[],
  ports: CliPorts,
): Promise<Exit> {
  const { objects } = await readSource(options, kinds, ports);
  const items = objects.map((object) => withoutNoise(object, { isOurs: kindOf(object, kinds) !== undefined }));
  const list = { apiVersion: "v1", kind: "List", items };
  ports.out(options.output === "yaml" ? yamlText(list) : `${canonicalJson(list)}\n`);
  return EXIT.nothing;
}
