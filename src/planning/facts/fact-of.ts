import type { Answer } from "../../model/cluster/api-failure.ts";
import type { Fact } from "../../preflight/facts.ts";

/** What was answered, or why not. */
export function factOf<A, T>(answer: Answer<A>, pick: (value: A) => T): Fact<T> {
  if (answer.ok) return { known: true, value: pick(answer.value) };
  return { known: false, why: answer.failure.message };
}
