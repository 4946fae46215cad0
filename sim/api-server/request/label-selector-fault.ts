// Where the label selector of a query breaks, in the words of the real server's parser. Whether it breaks is core's to say.
import { labelKeyFaults, labelValueFaults } from "../faults/name-syntax.ts";

const setOperators = ["in", "notin"];
const comparisons = [">", "<"];
const operators = [...setOperators, ...comparisons, "=", "==", "!="];
const noMore = "',' or 'end of string'";

/** The tokens of a selector and how far they have been read; behind the last one all are empty. */
class Tokens {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/==|!=|[=!(),><]|[^\s=!(),><]+/g) ?? [];
  }

  get next(): string {
    return this.#tokens[this.#at] ?? "";
  }

  take(): string {
    const { next } = this;
    this.#at += 1;
    return next;
  }
}

/** Says where a selector breaks that could not be read. */
export function labelSelectorFault(text: string): string {
  const tokens = new Tokens(text);
  if (tokens.next !== "!" && !isWord(tokens.next)) return found(tokens.next, "!, identifier, or 'end of string'");
  for (;;) {
    const fault = requirementFault(tokens);
    if (fault !== undefined) return `unable to parse requirement: ${fault}`;
    const separator = tokens.take();
    if (separator !== ",") return found(separator, noMore);
    if (tokens.next !== "!" && !isWord(tokens.next)) return found(tokens.next, "identifier after ','");
  }
}

function found(token: string, expected: string): string {
  return `found '${token}', expected: ${expected}`;
}

function isWord(token: string): boolean {
  return token !== "" && !/^[=!(),><]/.test(token);
}

function requirementFault(tokens: Tokens): string | undefined {
  const isNegated = tokens.next === "!";
  if (isNegated) tokens.take();
  const key = tokens.take();
  if (!isWord(key)) return found(key, "identifier");
  const [keyFault] = labelKeyFaults(key);
  if (keyFault !== undefined) return `<nil>: Invalid value: ${JSON.stringify(key)}: ${keyFault}`;
  if (isNegated || tokens.next === "" || tokens.next === ",") return undefined;
  const operator = tokens.take();
  if (!operators.includes(operator)) return found(operator, "in, notin, =, ==, !=, gt, lt");
  const values: string[] = [];
  const fault = setOperators.includes(operator) ? readSet(tokens, values) : readValue(tokens, values);
  return fault ?? valueFault(key, operator, values);
}

function readValue(tokens: Tokens, values: string[]): string | undefined {
  if (tokens.next !== "" && tokens.next !== "," && !isWord(tokens.next)) return found(tokens.next, "identifier");
  values.push(isWord(tokens.next) ? tokens.take() : "");
  return undefined;
}

function readSet(tokens: Tokens, values: string[]): string | undefined {
  const open = tokens.take();
  if (open !== "(") return `found '${open}' expected: '('`;
  while (tokens.next !== ")") {
    if (tokens.next === ",") tokens.take();
    else if (!isWord(tokens.next))
      return found(tokens.next, values.length === 0 ? "',', ')' or identifier" : "',' or ')'");
    else {
      values.push(tokens.take());
      if (tokens.next !== "," && tokens.next !== ")") return found(tokens.next, "',' or ')'");
    }
  }
  tokens.take();
  return undefined;
}

function valueFault(key: string, operator: string, values: readonly string[]): string | undefined {
  const quoted = (value: string) => `Invalid value: ${JSON.stringify(value)}`;
  const odd = comparisons.includes(operator) ? values.find((value) => !/^[-+]?\d+$/.test(value)) : undefined;
  if (odd !== undefined) return `values[0]: ${quoted(odd)}: for 'Gt', 'Lt' operators, the value must be an integer`;
  const faults = values.flatMap((value, index) =>
    labelValueFaults(value).map((fault) => `values[${index}][${key}]: ${quoted(value)}: ${fault}`),
  );
  return faults[0];
}
