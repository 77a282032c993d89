/** What the newest commit of a branch says of a deployment, as its host has that branch now. */
export type Listing =
  | {
      readonly type: "listed";
      readonly commit: string;
      /** The list of another folder that has it; undefined where it is in the list that it comes from. */
      readonly elsewhere: string | undefined;
    }
  | { readonly type: "not listed"; readonly commit: string }
  | NotKnown;

/** Both are parts of a sentence, without a full stop. */
export interface NotKnown {
  readonly type: "unknown";
  readonly why: string;
  readonly fix: string;
}
