import type { shopFiles } from "./shop-files.ts";

/** What a user did wrong, and every word that is said about it. */
export interface Fault {
  readonly name: string;
  /** Files besides those of the shop. */
  readonly files?: Readonly<Record<string, string>>;
  /** A file, what stood there, and what stands there now. */
  readonly edits?: readonly (readonly [file: keyof typeof shopFiles, from: string, to: string])[];
  /** Default: `compile` with the shop's params. */
  readonly args?: readonly string[];
  /** All of stderr, after a line end that sets it off; DIR stands for the folder of the repository. */
  readonly says: string;
}

export const config = ".valuestream/qvs.yaml";
export const adapter = "adapters/web/main.cue";
export const compile = ["compile", "--params", "params.yaml"] as const;
