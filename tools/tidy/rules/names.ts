// Names say which concept they hold: file names are kebab-case, and some words are no concept at all.
import { posix } from "node:path";
import { type Finding, type Rule, stop } from "../source-file.ts";
import { child, type SyntaxNode, walk } from "../syntax-tree.ts";

/** Words that name no concept, wherever they stand in a name. */
const emptyWords: Readonly<Record<string, string>> = {
  util: "the concept it is about",
  utils: "the concept it is about",
  helper: "what it does",
  helpers: "what they do",
  manager: "what it holds: cache, queue, lease",
  impl: "what makes it different from its port",
};

/** Words that are empty only as the whole name: `serviceAccount` and `revisionData` are fine. */
const emptyAlone: Readonly<Record<string, string>> = {
  common: "the concept that is shared",
  service: "what it serves",
  data: "what the value is",
  info: "what the value is",
  misc: "one file per concept",
};

const plainFile = /^(\.?[a-z0-9]+(-[a-z0-9]+)*)(\.[a-z0-9-]+)*$/;
/** Files whose readers expect another form: documents, container and chart files, Go sources, and dot files. */
const namedByConvention = /^([A-Z]+(\.md)?|Dockerfile|Chart\.yaml|\.[a-z]+(rc|ignore)?|_[a-z]+\.tpl|[a-z0-9_]+\.go)$/;

/** File and folder names are kebab-case and say something. */
export const filesAreNamedForConcepts: Rule = (file) => {
  const parts = file.path.split("/");
  const base = posix.basename(file.path);
  const odd = parts.find((part) => !plainFile.test(part) && !namedByConvention.test(part));
  if (odd !== undefined && !file.path.includes("/vectors/"))
    return [stop(file, 0, "file-name", `"${odd}" is not kebab-case`)];
  const words = [...parts.slice(0, -1), base.split(".")[0] ?? ""];
  return words.flatMap((word) => complain(word, word.split("-"))).map((message) => stop(file, 0, "file-name", message));
};

/** Declared names use no empty word. */
export const declarationsAreNamedForConcepts: Rule = (file) => {
  const found: Finding[] = [];
  if (file.program === undefined || file.isGenerated) return found;
  walk(file.program, (node) => {
    const declared =
      /^(VariableDeclarator|FunctionDeclaration|ClassDeclaration|TSTypeAliasDeclaration|TSInterfaceDeclaration)$/.test(
        node.type,
      );
    const id: SyntaxNode | undefined = declared ? child(node, "id") : undefined;
    if (id?.type !== "Identifier") return;
    const name = String(id.name);
    const words = name
      .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .split(/[\s_]+/);
    for (const message of complain(name, words)) found.push(stop(file, id.start, "name", message));
  });
  return found;
};

function complain(name: string, words: readonly string[]): readonly string[] {
  const empty = words.find((word) => Object.hasOwn(emptyWords, word));
  if (empty !== undefined) return [`"${name}" says "${empty}": name ${emptyWords[empty]}`];
  const whole = name.toLowerCase();
  return Object.hasOwn(emptyAlone, whole) ? [`"${name}" says nothing: name ${emptyAlone[whole]}`] : [];
}
