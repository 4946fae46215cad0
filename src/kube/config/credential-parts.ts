// Puts credentials together from parts that change on their own: a token file, certificate files, a plugin's answer.
import { areSameCredentials, type CredentialSource, type Credentials, type TlsMaterial } from "./credentials.ts";
import type { ChangingText } from "./reread-file.ts";

/** What a credential plugin hands out. */
export type PluginCredential = { readonly token?: string; readonly cert?: string; readonly key?: string };

export interface CredentialPlugin {
  read(): Promise<PluginCredential>;
  forget(): void;
}

export type CredentialParts = {
  readonly token?: ChangingText | undefined;
  readonly ca?: ChangingText | undefined;
  readonly cert?: ChangingText | undefined;
  readonly key?: ChangingText | undefined;
  readonly plugin?: CredentialPlugin | undefined;
  readonly serverName?: string | undefined;
  readonly skipVerify?: boolean | undefined;
  /** Whom to act as. */
  readonly impersonation?: Readonly<Record<string, string | readonly string[]>> | undefined;
};

/** A source that asks all parts before each request and forgets them all when the server refuses what they made. */
export function credentialSource(parts: CredentialParts): CredentialSource {
  const { token, ca, cert, key, plugin } = parts;
  let last: Credentials | undefined;
  let lastTexts: readonly unknown[] = [];
  return {
    async current() {
      const texts = await Promise.all([token?.read(), ca?.read(), cert?.read(), key?.read(), plugin?.read()]);
      if (last !== undefined && texts.every((text, place) => text === lastTexts[place])) return last;
      lastTexts = texts;
      const [tokenText, caText, certText, keyText, fromPlugin] = texts;
      const tls = { ca: caText, cert: certText ?? fromPlugin?.cert, key: keyText ?? fromPlugin?.key };
      const next = assemble(parts, tokenText ?? fromPlugin?.token, tls);
      // Unchanged credentials stay the same object, so that the transport sees at a glance that its connections still fit.
      if (last === undefined || !areSameCredentials(last, next)) last = next;
      return last;
    },
    refused() {
      for (const part of [token, ca, cert, key, plugin]) part?.forget();
    },
  };
}

type ReadTls = { readonly [name in "ca" | "cert" | "key"]: string | undefined };

function assemble(parts: CredentialParts, token: string | undefined, tls: ReadTls): Credentials {
  const { serverName, skipVerify, impersonation } = parts;
  const material: TlsMaterial = {
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(skipVerify ? { skipVerify } : {}),
  };
  const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...impersonation };
  return { headers, tls: material };
}
