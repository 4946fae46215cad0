// The syntax of names and labels with the real server's words. Whether a text is legal is decided by core/label-syntax;
// the words are put together only for those that are not.
import {
  annotationKeyFault,
  dns1035LabelFault,
  dns1123LabelFault,
  dns1123SubdomainFault,
  labelKeyFault,
  labelValueFault,
} from "../../../src/core/labels/label-syntax.ts";

const LABEL_MAX = 63;
const SUBDOMAIN_MAX = 253;

const ends = "and must start and end with an alphanumeric character";
const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainWords = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${ends} (e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`;
const labelWords = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${ends} (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`;
const label1035Words =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const qualifiedWords = `must consist of alphanumeric characters, '-', '_' or '.', ${ends} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;
const valueWords = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${ends} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`;

const qualifiedText = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const subdomainText = new RegExp(`^${label}(\\.${label})*$`);
const labelText = new RegExp(`^${label}$`);

/** The rule of most names: a DNS subdomain. */
export function subdomainFaults(name: string): readonly string[] {
  if (dns1123SubdomainFault(name) === undefined) return [];
  return [
    ...(name.length > SUBDOMAIN_MAX ? [`must be no more than ${SUBDOMAIN_MAX} characters`] : []),
    ...(subdomainText.test(name) ? [] : [subdomainWords]),
  ];
}

/** The rule of namespaces and containers: one DNS label. */
export function dnsLabelFaults(name: string): readonly string[] {
  if (dns1123LabelFault(name) === undefined) return [];
  return [
    ...(name.length > LABEL_MAX ? [`must be no more than ${LABEL_MAX} characters`] : []),
    ...(labelText.test(name) ? [] : [subdomainText.test(name) ? "must not contain dots" : labelWords]),
  ];
}

/** The rule of services: a DNS label that starts with a letter. */
export function dns1035LabelFaults(name: string): readonly string[] {
  if (dns1035LabelFault(name) === undefined) return [];
  return name.length > LABEL_MAX ? [`must be no more than ${LABEL_MAX} characters`] : [label1035Words];
}

/** The rule of label keys and finalizers: a name with an optional prefix. */
export function labelKeyFaults(key: string): readonly string[] {
  return labelKeyFault(key) === undefined ? [] : qualifiedNameFaults(key);
}

/** The rule of annotation keys: that of label keys, blind to case. */
export function annotationKeyFaults(key: string): readonly string[] {
  return annotationKeyFault(key) === undefined ? [] : qualifiedNameFaults(key.toLowerCase());
}

/** The rule of label values. */
export function labelValueFaults(value: string): readonly string[] {
  if (labelValueFault(value) === undefined) return [];
  return [
    ...(Buffer.byteLength(value) > LABEL_MAX ? [`must be no more than ${LABEL_MAX} bytes`] : []),
    ...(qualifiedText.test(value) ? [] : [valueWords]),
  ];
}

function qualifiedNameFaults(key: string): readonly string[] {
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${qualifiedWords} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? "";
  const [prefix] = parts.length === 2 ? parts : [undefined];
  const faults: string[] = [];
  if (prefix === "") faults.push("prefix part must be non-empty");
  else if (prefix !== undefined) faults.push(...subdomainFaults(prefix).map((fault) => `prefix part ${fault}`));
  if (name === "") return [...faults, "name part must be non-empty", `name part ${qualifiedWords}`];
  if (Buffer.byteLength(name) > LABEL_MAX) faults.push(`name part must be no more than ${LABEL_MAX} bytes`);
  if (!qualifiedText.test(name)) faults.push(`name part ${qualifiedWords}`);
  return faults;
}
