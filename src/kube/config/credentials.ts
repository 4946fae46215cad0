// Who we are to an API server and whom we trust to be it. A source hands out the current ones, because tokens are rotated
// and certificates renewed while we run; the transport binding asks before each request.

/** PEM texts. Without `ca` the machine's own list of authorities decides. */
export type TlsMaterial = {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name to expect in the server's certificate when it is not the host we dial. */
  readonly serverName?: string;
  readonly skipVerify?: boolean;
};

export type Credentials = {
  /** Sent with every request; names in lower case. Never to be printed. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly tls: TlsMaterial;
};

export interface CredentialSource {
  /** What to present now; mostly from memory, at times after reading a file or running a plugin. */
  current(): Promise<Credentials>;
  /** The server answered 401 to these: look for newer ones before the next request. */
  refused(credentials: Credentials): void;
}

/** Credentials that never change. */
export function fixedCredentials(credentials: Partial<Credentials> = {}): CredentialSource {
  const fixed = { headers: {}, tls: {}, ...credentials };
  return { current: () => Promise.resolve(fixed), refused: () => undefined };
}

/** True when connections made with the one serve for the other. */
export function isSameTls(one: TlsMaterial, other: TlsMaterial): boolean {
  const { ca, cert, key, serverName, skipVerify } = one;
  const isSameClient = cert === other.cert && key === other.key;
  return isSameClient && ca === other.ca && serverName === other.serverName && skipVerify === other.skipVerify;
}

/** True when both would present the same to a server. */
export function areSameCredentials(one: Credentials, other: Credentials): boolean {
  if (one === other) return true;
  return isSameTls(one.tls, other.tls) && JSON.stringify(one.headers) === JSON.stringify(other.headers);
}
