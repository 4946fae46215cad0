// The names of groups in a Go regular expression. Nothing here refers to a group, but Go accepts a name that is used twice
// and our engine does not, so such a pattern is compiled without its names.

/** Quoted text, an escape, a character class, the opening of a named group, or any other character. */
const TOKEN = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?|\(\?P?<\w+>|./gsu;
const NAMED_GROUP = /^\(\?P?</;

/** The pattern with plain groups in the place of named ones; it matches the same texts. */
export function withoutGroupNames(pattern: string): string {
  return pattern.replace(TOKEN, (token) => (NAMED_GROUP.test(token) ? "(" : token));
}
