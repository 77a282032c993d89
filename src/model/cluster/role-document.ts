import type { JsonObject } from "../json.ts";
import type { KubeObject } from "../object.ts";

/** A rule of a Role, with its purpose. */
export interface RoleRule {
  readonly rule: JsonObject;
  readonly why: string;
  /** The function that doesn't work without the rule; undefined if qvs can't work without it. */
  readonly without: string | undefined;
}

/** A Role, a binding or an admission policy to apply, with its description. */
export interface RoleDocument {
  readonly object: KubeObject;
  /** The comment above the document; empty if the previous document has it. */
  readonly about: string;
  /** The rules of a Role, in its order. */
  readonly rules: readonly RoleRule[];
}
