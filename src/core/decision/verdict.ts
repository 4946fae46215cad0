// A verdict is what one rule said about one node, and why: the unit that every explanation is made of.

export type Verdict = {
  /** Where the rule stands, as a user would find it: `mapping[2]`, `variants["5.x"].match.kernel`. */
  readonly rule: string;
  readonly matched: boolean;
  /** A clause that can follow "because": `5.14.0-427 is not 6.*`. */
  readonly because: string;
};
