import type { Deployment } from "../deployment.ts";
import { quoteShellWord } from "./rollback-command.ts";

/**
 * Returns the command that deletes a whole deployment, from any directory.
 * With a digest, the command deletes exactly the objects of that plan.
 */
export function deleteCommand(
  { name, namespace, context }: Pick<Deployment, "name" | "namespace" | "context">,
  digest?: string,
): string {
  const where = context === undefined ? "" : ` --context ${quoteShellWord(context)}`;
  const plan = digest === undefined ? "" : ` --expect-digest ${digest.slice(0, 12)}`;
  return `qvs delete -d ${name} -n ${namespace}${where}${plan}`;
}
