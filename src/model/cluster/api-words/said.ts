/**
 * What the API server says in English alone: its Status has no reason for these. Nothing else decides by its sentences, but
 * for `redaction/showable-refusal.ts`, which chooses what of them is shown.
 */
export interface Said {
  readonly message: string;
}

export interface SaidOfFields extends Said {
  readonly causes: readonly { readonly field: string }[];
}

export type Cause = Said & { readonly field: string };
