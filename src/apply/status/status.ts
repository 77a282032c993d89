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
  /** A claim whose storage class binds it only once a Pod uses it (volumeBindingMode WaitForFirstConsumer). */
  readonly bindsOnFirstUse: boolean;
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
