// Names say which concept they hold: file names are kebab-case, and some words are no concept at all.
import { posix } from "node:path";
import { type Finding, isCode, type Rule, stop } from "../source-file.ts";
import { splitWords } from "../split-words.ts";
import { child, walk } from "../syntax-tree.ts";

/** Words that name no concept, wherever they stand in a name. */
const emptyWords: Readonly<Record<string, string>> = {
  util: "the concept it is about",
  utils: "the concept it is about",
  helper: "what it does",
  helpers: "what they do",
  manager: "what it holds: cache, queue, lease",
  impl: "what makes it different from its port",
};

/** Words that are empty in the name of a file, and as the whole name of a declaration: `revisionData` is fine. */
const emptyAlone: Readonly<Record<string, string>> = {
  common: "the concept that is shared",
  service: "what it serves",
  services: "what they serve",
  data: "what the value is",
  info: "what the value is",
  misc: "one file per concept",
};

/** Kubernetes' own terms that hold such a word. */
const terms = /\b(field manager|service account)s?\b/;

const plainFile = /^(\.?[a-z0-9]+(-[a-z0-9]+)*)(\.[a-z0-9-]+)*$/;
/** Files whose readers expect another form: documents, container and chart files, Go sources, and dot files. */
const namedByConvention =
  /^([A-Z]+(_[A-Z]+)*(\.md)?|pull_request_template\.md|NOTES\.txt|Dockerfile|Chart\.yaml|\.[a-z]+(rc|ignore)?|_[a-z]+\.tpl|[a-z0-9_]+\.go)$/;

/** File and folder names are kebab-case and say something. */
export const filesAreNamedForConcepts: Rule = (file) => {
  const odd = file.path.split("/").find((part) => !plainFile.test(part) && !namedByConvention.test(part));
  const isVector = file.path.includes("/vectors/") && !isCode(file.path);
  if (odd !== undefined && !isVector) return [stop(file, 0, "file-name", `"${odd}" is not kebab-case`)];
  const { dir, name } = posix.parse(file.path);
  return [...dir.split("/"), name]
    .filter((part) => !part.startsWith("_"))
    .flatMap((part) => complain(part, { ...emptyWords, ...emptyAlone }))
    .map((message) => stop(file, 0, "file-name", message));
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
    const id = declared ? child(node, "id") : undefined;
    if (id?.type !== "Identifier") return;
    const name = String(id.name);
    const empty = splitWords(name).length === 1 ? { ...emptyWords, ...emptyAlone } : emptyWords;
    for (const message of complain(name, empty)) found.push(stop(file, id.start, "name", message));
  });
  return found;
};

function complain(name: string, empty: Readonly<Record<string, string>>): readonly string[] {
  const words = splitWords(splitWords(name).join(" ").replace(terms, ""));
  const found = words.find((word) => Object.hasOwn(empty, word));
  return found === undefined ? [] : [`"${name}" says "${found}", which says nothing: name ${empty[found]}`];
}
