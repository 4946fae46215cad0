// The port to image registries: one request, one answer, no opinion. Production binds it to HTTPS (node-registry.ts), tests to a model
// of a registry. What is asked, and where that may lead, is the caller's business.

export type RegistryRequest = {
  readonly method: "HEAD" | "GET";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Which addresses may be connected to, whatever name leads there: those of the internet alone, or those of private networks as
   * well. The machine itself and link-local addresses, where clouds keep credentials, never.
   */
  readonly reach: "public" | "site";
  /** False where a certificate that nobody vouches for will do. */
  readonly checksCertificate: boolean;
  /** A longer answer is an error. */
  readonly answerBytesMax: number;
  readonly signal: AbortSignal;
};

export type RegistryAnswer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

export interface RegistryTransport {
  /** Sends a request and collects the answer; follows no redirect. Rejects when no answer comes. */
  request(request: RegistryRequest): Promise<RegistryAnswer>;
}
