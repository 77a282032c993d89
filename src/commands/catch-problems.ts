import { UserError } from "../errors.ts";
import { failed, ok, type Result } from "../model/problem.ts";

/** What a port throws as a UserError, as a value: to be reported together with other problems. */
export async function catchProblems<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work());
  } catch (error) {
    if (error instanceof UserError) return failed(error.problems);
    throw error;
  }
}
