// The commands that a page shows without its being typed by a test: those of its blocks of `sh` and `text`, and those in a line of prose.

export type ShownCommand = {
  /** With single spaces, and without a comment. */
  readonly command: string;
  /** The line of the page, for messages. */
  readonly line: number;
};

const FENCED = /^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm;
const INLINE = /`([^`]+)`/g;
const COMMENT = /\s+# .*$/;
/** What a shell does for itself, once for all commands that follow. */
const SHELL = /^(?:export|alias|cd) /;
const PROGRAMS = /^(?:farrier|kubectl|npm|npx|node|docker|git|helm|go) /;
/** A word that stands for what a reader puts there: NAME, or daemonset/NAME. */
const PLACEHOLDER = /[A-Z]{4,}/g;
/** From a clone the program is called so; the pages make an alias of it. */
const FROM_CLONE = "npm run -s farrier -- ";

/** Finds them, in their order. */
export function shownCommands(markdown: string): readonly ShownCommand[] {
  const lineAt = (index: number) => markdown.slice(0, index).split("\n").length;
  const fenced = [...markdown.matchAll(FENCED)].flatMap(({ 1: language = "", 2: body = "", index }) =>
    body.split("\n").flatMap((text, at) => {
      const command = commandIn(language, text);
      return command === undefined ? [] : [{ command, line: lineAt(index) + 1 + at }];
    }),
  );
  const prose = markdown.replaceAll(FENCED, (block) => block.replaceAll(/[^\n]/g, " "));
  const inline = [...prose.matchAll(INLINE)].flatMap(({ 1: text = "", index }) => {
    const command = text.replaceAll(/\s+/g, " ");
    return PROGRAMS.test(`${command} `) && command.includes(" ") ? [{ command, line: lineAt(index) }] : [];
  });
  return [...fenced, ...inline].toSorted((a, b) => a.line - b.line);
}

function commandIn(language: string, line: string): string | undefined {
  const text = line.replace(COMMENT, "").trim();
  if (language === "sh" || language === "bash") return text === "" || SHELL.test(text) ? undefined : text;
  return language === "text" && text.startsWith("$ ") ? text.slice(2) : undefined;
}

/**
 * Whether a typed command is the one that is shown: the same, or one that begins with it, as a sentence about `farrier plan` does. A placeholder
 * stands for any text.
 */
export function isShownBy(typed: string, shown: string): boolean {
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const words = asAlias(shown).split(PLACEHOLDER).map(literal).join("\\S+");
  return new RegExp(`^${words}(?: |$)`).test(asAlias(typed));
}

function asAlias(command: string): string {
  const one = command.replaceAll(/(?:\\\n|\s)+/g, " ");
  return one.startsWith(FROM_CLONE) ? `farrier ${one.slice(FROM_CLONE.length)}` : one;
}
