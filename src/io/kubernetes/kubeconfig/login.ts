import type { SentSecrets } from "../../../redaction/sent-secrets.ts";
import type { Credentials } from "../transport/connection.ts";
import type { Environment } from "./files.ts";
import type { KubeconfigCluster, KubeconfigUser } from "./schema.ts";

/** Who wants in where, for plugins and for messages. */
export interface Login {
  readonly context: string;
  /** undefined for a context without a user: anonymous. */
  readonly user: KubeconfigUser | undefined;
  readonly cluster: KubeconfigCluster;
  readonly env: Environment;
  /** The credentials so far; a plugin can quote them when it fails. */
  readonly sent?: SentSecrets | undefined;
}

export type Credential = Omit<Credentials, "generation">;

/** Gives the credential to use now; a plugin's is kept until it expires. */
export type CredentialSource = () => Promise<Credential>;
