import type { Deployment } from "../deployment.ts";
import { shellWord } from "./rollback-command.ts";

/** The command that deletes a whole deployment, wherever it is run; with a digest, exactly what that plan deletes. */
export function deleteCommand(
  { name, namespace, context }: Pick<Deployment, "name" | "namespace" | "context">,
  digest?: string,
): string {
  const where = context === undefined ? "" : ` --context ${shellWord(context)}`;
  const plan = digest === undefined ? "" : ` --expect-digest ${digest.slice(0, 12)}`;
  return `qvs delete -d ${name} -n ${namespace}${where}${plan}`;
}
