import { explainRefusal, isAbort } from "../io/github/explain-refusal.ts";
import { UserError } from "../model/problems/errors.ts";
import { sentence } from "./github-problem.ts";

/**
 * Turns an error of GitHub into a UserError with a reason and a fix. `doing` completes
 * "qvs can't …".
 */
export async function explainGitHubErrors<T>(
  doing: string,
  permissions: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError || isAbort(error)) throw error;
    const { why, fix } = explainRefusal(error, permissions);
    const what = `qvs can't ${doing}`;
    throw new UserError([{ code: "github-api-error", where: [], what, why: sentence(why), fix }]);
  }
}
