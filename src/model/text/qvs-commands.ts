import type { Deployment } from "../deployments/deployment.ts";
import type { EnvironmentOwner } from "../deployments/preview-environment.ts";

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

/** Returns the command that deletes the environment of a pull request, in the repository. */
export function deleteEnvironmentCommand(
  { entry, number }: Pick<EnvironmentOwner, "entry" | "number">,
  { context }: Pick<Deployment, "context">,
): string {
  const where = context === undefined ? "" : ` --context ${quoteShellWord(context)}`;
  return `qvs environments delete -d ${quoteShellWord(entry)} --number ${number}${where}`;
}

/**
 * Returns the complete command that rolls back to a release.
 * A user can paste it in any clone of the repository.
 */
export function rollbackCommand(
  { name, namespace, context }: Pick<Deployment, "name" | "namespace" | "context">,
  revision: number,
): string {
  const place = context === undefined ? [] : ["--context", quoteShellWord(context)];
  const words = ["--deployment", name, "--namespace", namespace, ...place, "--to", `${revision}`];
  return `qvs rollback ${words.join(" ")}`;
}

/**
 * Quotes a string for a shell.
 * Names of deployments and namespaces are DNS labels, but a context can have any name.
 */
function quoteShellWord(text: string): string {
  return /^[\w.:/@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
