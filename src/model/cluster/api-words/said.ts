/**
 * An API server message for a fact that the reason in its Status doesn't express.
 * Most patterns for such messages are in this directory. `redaction/showable-refusal.ts` selects
 * the parts that qvs shows.
 */
export interface Said {
  readonly message: string;
}

export interface SaidOfFields extends Said {
  readonly causes: readonly { readonly field: string }[];
}

export type Cause = Said & { readonly field: string };
