import type { SentSecrets } from "../../redaction/sent-secrets.ts";

/** The environment with the paths of a step's files, and the credentials that no file contains. */
export interface StepFiles {
  readonly env: NodeJS.ProcessEnv;
  readonly sent: SentSecrets;
}
