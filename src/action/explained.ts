import { explainRefusal, isAbort } from "../io/github/refusal.ts";
import { UserError, userError } from "../model/problems/errors.ts";

/**
 * Turns an error of GitHub into a UserError with a reason and a fix. `doing` completes "Cannot …".
 */
export async function explained<T>(
  doing: string,
  permissions: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError || isAbort(error)) throw error;
    const { why, fix } = explainRefusal(error, permissions);
    throw userError("github-api-error", `Cannot ${doing}: ${why}`, fix);
  }
}
