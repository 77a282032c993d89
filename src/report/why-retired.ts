import type { Retirement } from "../model/plan.ts";

/** Why an object goes although a key protects it. */
export function whyRetired({ key, revision }: Retirement): string {
  return `revision ${revision} of key ${key}, enough newer ones are kept`;
}
