/** Where a tag or branch leads now, after it was locked elsewhere; undefined when there is none of that name. */
export type Moved =
  | { readonly what: "tag" | "branch"; readonly to: string }
  | { readonly what: "gone"; readonly to: undefined };
