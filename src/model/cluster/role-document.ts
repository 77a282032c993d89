import type { JsonObject } from "../json.ts";
import type { KubeObject } from "../object.ts";

/** One rule of a Role, with what it is for. */
export interface RoleRule {
  readonly rule: JsonObject;
  readonly why: string;
  /** What is lost without it; undefined where nothing goes without it. */
  readonly without: string | undefined;
}

/** A Role, a binding or an admission policy to apply, and what is said of it. */
export interface RoleDocument {
  readonly object: KubeObject;
  /** Above the document; empty where the one before says it. */
  readonly about: string;
  /** Those of a Role, in their order. */
  readonly rules: readonly RoleRule[];
}
