import { explainRefusal, isAbort } from "../io/github/refusal.ts";
import { UserError, userError } from "../model/problems/errors.ts";

/** What GitHub refuses as a problem that says why and what to do; `doing` completes "Cannot …". */
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
