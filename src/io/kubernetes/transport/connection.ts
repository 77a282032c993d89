import type { SecureContextOptions } from "node:tls";
import type { SentSecrets } from "../../../redaction/sent-secrets.ts";

/** What one request needs to be let in. */
export interface Credentials {
  /** Counts renewals, so that requests that were refused side by side renew once. */
  readonly generation: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cert: SecureContextOptions["cert"];
  readonly key: SecureContextOptions["key"];
}

/** The value of the proxy variables as Node's agents take them, e.g. `{HTTPS_PROXY: "http://proxy:3128"}`. */
export type ProxyVariables = Readonly<Record<string, string | undefined>>;

/** A cluster, how to recognise it and who we are to it: one kubeconfig context, resolved. */
export interface Connection {
  /** For messages: the name of the kubeconfig context. */
  readonly context: string;
  /** Base address, possibly with a path, e.g. `https://rancher.example/k8s/clusters/c-1`. */
  readonly server: string;
  /** The namespace that the context names. */
  readonly namespace: string | undefined;
  readonly tls: {
    readonly ca: SecureContextOptions["ca"];
    readonly rejectUnauthorized: boolean;
    readonly servername: string | undefined;
  };
  /** `Impersonate-…` headers; the order of groups is kept. */
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>;
  readonly proxy: ProxyVariables;
  /** The credential to use now. Cheap to call per request; rejects with a UserError. */
  credentials(): Promise<Credentials>;
  /** A credential that is newer than `stale`, which the server refused with 401. */
  renewedCredentials(stale: Credentials): Promise<Credentials>;
  /** Who the credential says that we are, where it can be read from it, for a refusal; nothing of it is secret. */
  readonly identity?: (() => string | undefined) | undefined;
  /** Collects the credentials, so that no answer can bring one into an output. */
  readonly sent?: SentSecrets | undefined;
}
