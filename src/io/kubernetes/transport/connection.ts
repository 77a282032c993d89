import type { SecureContextOptions } from "node:tls";
import type { SentSecrets } from "../../../redaction/sent-secrets.ts";

/** The credentials of one request. */
export interface Credentials {
  /** Counts renewals, so that concurrent requests that got a 401 renew the credential once. */
  readonly generation: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cert: SecureContextOptions["cert"];
  readonly key: SecureContextOptions["key"];
}

/** The proxy variables for Node.js's agents, e.g. `{HTTPS_PROXY: "http://proxy:3128"}`. */
export type ProxyVariables = Readonly<Record<string, string | undefined>>;

/** A resolved kubeconfig context: the cluster, how to verify it, and the user's identity. */
export interface Connection {
  /** The name of the kubeconfig context, for messages. */
  readonly context: string;
  /** The base address, possibly with a path, e.g. `https://rancher.example/k8s/clusters/c-1`. */
  readonly server: string;
  /** The namespace that the context names. */
  readonly namespace: string | undefined;
  readonly tls: {
    readonly ca: SecureContextOptions["ca"];
    readonly rejectUnauthorized: boolean;
    readonly servername: string | undefined;
  };
  /** The `Impersonate-…` headers, with the groups in their order. */
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>;
  readonly proxy: ProxyVariables;
  /**
   * Returns the current credential. It is cheap enough to call for each request, and rejects with a
   * UserError.
   */
  credentials(): Promise<Credentials>;
  /** Returns a credential that is newer than `stale`, which the API server rejected with 401. */
  renewedCredentials(stale: Credentials): Promise<Credentials>;
  /**
   * Describes the identity in the credential for a 401 error, if it is readable. The text contains
   * no secret.
   */
  readonly identity?: (() => string | undefined) | undefined;
  /** Collects the credentials, so that no output shows one that an answer contains. */
  readonly sent?: SentSecrets | undefined;
}
