// Credentials in free text: what looks like one is masked before the text is written down, in a log line or an event.
// Caveats: a secret is found only if its form or the name right before it gives it away (bearer, JWT, private key,
// user:password@host, token=…, "token": "…").

export const MASK = "[redacted]";
const TEXT_LENGTH_MAX = 4_096;
/** Behind the cut so much more is read: a credential that begins before it must be seen whole to be known as one. */
const LOOKAHEAD_LENGTH = 1_024;

const NAME_END_LENGTH = 100;

/** Names under which credentials live, in lower case without separators, as the end of the name: `accessToken`, `tls.key`. */
const credentialName =
  /((token|password|passwd|pwd|passphrase|secret|cookie|credential|apikey|accesskey|secretkey|privatekey|signingkey)s?|authorization|keydata|certificatedata|dockerconfigjson|^(tls|ca|next|client)key)$/;

const nameInText =
  "(?:tokens?|password|passwd|pwd|passphrase|secret|cookie|(?:api|access|secret|private)[_-]?key|authorization|(?:key|certificate)-data)";

const credentialTexts: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, MASK],
  // The first part of a JSON Web Token is base64 of `{"…`; whatever follows it belongs to it.
  [/\beyJ[\w-]{10,}(?:\.[\w-]*){0,2}/g, MASK],
  // A block that was cut off has no end line, and is still a key.
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, MASK],
  [/(:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,400}@/g, `$1${MASK}@`],
  [new RegExp(`(${nameInText}=)[^\\s&"'<>,;]+`, "gi"), `$1${MASK}`],
  [new RegExp(`(${nameInText}"\\s{0,8}:\\s{0,8}")(?:[^"\\\\]|\\\\.)*`, "gi"), `$1${MASK}`],
  // JSON inside JSON: its quotes are escaped.
  [new RegExp(`(${nameInText}\\\\+"\\s{0,8}:\\s{0,8}\\\\+")[^"\\\\]*`, "gi"), `$1${MASK}`],
];

/** A text without credentials, of bounded length. */
export function redactText(text: string): string {
  const seen = text.slice(0, TEXT_LENGTH_MAX + LOOKAHEAD_LENGTH);
  const masked = credentialTexts.reduce((rest, [pattern, mask]) => rest.replaceAll(pattern, mask), seen);
  if (text.length <= TEXT_LENGTH_MAX) return masked;
  // Masking shortens: the end of what was seen must not move up into what is written.
  const knownLength = seen.length === text.length ? masked.length : Math.max(0, masked.length - LOOKAHEAD_LENGTH);
  return `${masked.slice(0, Math.min(TEXT_LENGTH_MAX, knownLength))}… (${text.length} characters)`;
}

/** True when whatever stands under this name must not be written down. */
export function isCredentialName(name: string): boolean {
  // The end of a name tells; it may be a text of any length.
  const end = name.slice(-NAME_END_LENGTH).toLowerCase();
  return credentialName.test(end.replaceAll(/[^a-z0-9]/g, ""));
}
