// The syntax of names, label keys and label values: what the API server would accept, and why not otherwise.
// Every check is one pass over the characters. All legal characters are ASCII, so a legal text has as many bytes as characters.

export const LABEL_VALUE_BYTES_MAX = 63;
export const LABEL_NAME_BYTES_MAX = 63;
export const DNS_LABEL_BYTES_MAX = 63;
export const DNS_SUBDOMAIN_BYTES_MAX = 253;

const dash = 0x2d;
const dot = 0x2e;
const underscore = 0x5f;

/** Says why a text is no label value, or nothing when it is one. */
export function labelValueFault(value: string): string | undefined {
  if (value === "") return undefined;
  if (value.length > LABEL_VALUE_BYTES_MAX) return `must be at most ${LABEL_VALUE_BYTES_MAX} bytes long`;
  return qualifiedTextFault(value);
}

/** Says why a text is no label key (`[prefix/]name`), or nothing when it is one. */
export function labelKeyFault(key: string): string | undefined {
  const slash = key.indexOf("/");
  if (slash === -1) return labelNameFault(key);
  if (slash !== key.lastIndexOf("/")) return "must hold at most one slash, between a DNS prefix and a name";
  const prefixFault = dns1123SubdomainFault(key.slice(0, slash));
  if (prefixFault !== undefined) return `has a prefix that ${prefixFault}`;
  return labelNameFault(key.slice(slash + 1));
}

/** Says why a text is no annotation key, or nothing when it is one: the label-key rule, blind to case. */
export function annotationKeyFault(key: string): string | undefined {
  // The API server lower-cases code point by code point, where U+0130 is a plain i; JavaScript would add a dot.
  return labelKeyFault(key.replaceAll("\u0130", "i").toLowerCase());
}

/** Says why a text is no DNS-1123 label, or nothing when it is one. */
export function dns1123LabelFault(value: string): string | undefined {
  if (value === "") return "must not be empty";
  if (value.length > DNS_LABEL_BYTES_MAX) return `must be at most ${DNS_LABEL_BYTES_MAX} bytes long`;
  for (let at = 0; at < value.length; at++) {
    const char = value.charCodeAt(at);
    if (!isLowerAlphanumeric(char) && char !== dash) return "may hold only a-z, 0-9 and '-'";
  }
  if (value.charCodeAt(0) === dash || value.charCodeAt(value.length - 1) === dash) {
    return "must start and end with a letter or digit";
  }
  return undefined;
}

/** Says why a text is no DNS-1035 label (as a service name), or nothing when it is one. */
export function dns1035LabelFault(value: string): string | undefined {
  const fault = dns1123LabelFault(value);
  if (fault !== undefined) return fault;
  return isLowerLetter(value.charCodeAt(0)) ? undefined : "must start with a letter";
}

/** Says why a text is no DNS-1123 subdomain (as most object names), or nothing when it is one. */
export function dns1123SubdomainFault(value: string): string | undefined {
  if (value === "") return "must not be empty";
  if (value.length > DNS_SUBDOMAIN_BYTES_MAX) return `must be at most ${DNS_SUBDOMAIN_BYTES_MAX} bytes long`;
  // The end of a part must be a letter or digit, and so must the start of the next: two marks never touch a dot.
  let previous = dot;
  for (let at = 0; at <= value.length; at++) {
    const char = at === value.length ? dot : value.charCodeAt(at);
    const isMark = char === dash || char === dot;
    if (!isMark && !isLowerAlphanumeric(char)) return "may hold only a-z, 0-9, '-' and '.'";
    if (isMark && (previous === dot || (char === dot && previous === dash))) {
      return "must start and end each part between dots with a letter or digit";
    }
    previous = char;
  }
  return undefined;
}

/** Says why a text is no `generateName`, or nothing when it is one: a trailing dash and the byte before it are not looked at. */
export function generateNameFault(prefix: string): string | undefined {
  if (prefix.length < 2 || !prefix.endsWith("-")) return dns1123SubdomainFault(prefix);
  // Only the last byte of a longer character would be hidden; the rest of it is still illegal.
  const hidden = prefix.charCodeAt(prefix.length - 2);
  return dns1123SubdomainFault(`${prefix.slice(0, -2)}${hidden > 0x7f ? "\u00ff" : "a"}`);
}

function labelNameFault(name: string): string | undefined {
  if (name === "") return "must have a name that is not empty";
  if (name.length > LABEL_NAME_BYTES_MAX) return `must have a name of at most ${LABEL_NAME_BYTES_MAX} bytes`;
  return qualifiedTextFault(name);
}

function qualifiedTextFault(text: string): string | undefined {
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    const isMark = char === dash || char === underscore || char === dot;
    if (!isMark && !isAlphanumeric(char)) return "may hold only letters, digits, '-', '_' and '.'";
  }
  if (!isAlphanumeric(text.charCodeAt(0)) || !isAlphanumeric(text.charCodeAt(text.length - 1))) {
    return "must start and end with a letter or digit";
  }
  return undefined;
}

function isLowerLetter(char: number): boolean {
  return char >= 0x61 && char <= 0x7a;
}

function isLowerAlphanumeric(char: number): boolean {
  return isLowerLetter(char) || (char >= 0x30 && char <= 0x39);
}

/** True for an ASCII letter or digit. */
export function isAlphanumeric(char: number): boolean {
  return isLowerAlphanumeric(char) || (char >= 0x41 && char <= 0x5a);
}
