/**
 * An API server message for a fact that the reason in its Status doesn't express.
 * Most patterns for such messages are in this directory. `redaction/showable-refusal.ts` selects
 * the parts that qvs shows.
 */
export interface ApiMessage {
  readonly message: string;
}

export interface ApiMessageWithFields extends ApiMessage {
  readonly causes: readonly { readonly field: string }[];
}

export type FieldCause = ApiMessage & { readonly field: string };
