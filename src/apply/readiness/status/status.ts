import type { KubeObject } from "../../../model/object.ts";

/** Where an object stands, computed from the object alone, never from the events that led to it. */
export type Status =
  | { readonly state: "ready"; readonly notice?: string }
  | { readonly state: "waiting"; readonly why: string }
  | { readonly state: "failed"; readonly why: string }
  /** Held back on purpose: nothing more will happen until somebody says so, and that is no failure. */
  | { readonly state: "suspended"; readonly why: string };

/** What a status depends on besides the object. */
export interface Facts {
  readonly now: Date;
  /** How it was when this run had changed it, or what it depends on; undefined where it has changed neither. */
  readonly before: Before | undefined;
  readonly binding: Binding;
}

/**
 * When a claim gets its volume: by its storage class only once a Pod uses it (volumeBindingMode WaitForFirstConsumer), or at
 * once; unknown where neither the class nor events may be read.
 */
export type Binding = "on first use" | "at once" | "unknown";

/** An object as its waiting began, when its status could only be about what was before. */
export interface Before {
  readonly object: KubeObject;
  readonly at: Date;
}

export function ready(): Status {
  return { state: "ready" };
}

export function waiting(why: string): Status {
  return { state: "waiting", why };
}

export function failed(why: string): Status {
  return { state: "failed", why };
}

export function suspended(why: string): Status {
  return { state: "suspended", why };
}
