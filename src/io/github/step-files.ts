import type { SentSecrets } from "../../redaction/sent-secrets.ts";

/** Says where a step writes its files, and which credentials none of them contains. */
export interface StepFiles {
  readonly env: NodeJS.ProcessEnv;
  readonly sent: SentSecrets;
}
