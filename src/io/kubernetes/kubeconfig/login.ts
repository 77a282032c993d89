import type { SentSecrets } from "../../../redaction/sent-secrets.ts";
import type { Environment } from "../../environment.ts";
import type { Credentials } from "../transport/connection.ts";
import type { KubeconfigCluster, KubeconfigUser } from "./schema.ts";

/** The context, user and cluster of a login, for plugins and messages. */
export interface Login {
  readonly context: string;
  /** Undefined for a context without a user: anonymous. */
  readonly user: KubeconfigUser | undefined;
  readonly cluster: KubeconfigCluster;
  readonly env: Environment;
  /** The directory in which a plugin runs; undefined for the directory of this process. */
  readonly directory?: string | undefined;
  /** The credentials so far. A plugin can quote them when it fails. */
  readonly sent?: SentSecrets | undefined;
}

export type Credential = Omit<Credentials, "generation">;

/** Returns the current credential. The credential of a plugin is kept until it expires. */
export type CredentialSource = () => Promise<Credential>;
