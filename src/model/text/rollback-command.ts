import type { Deployment } from "../deployment.ts";

/** What to type to go back to a release, complete: it can be pasted into any clone of the repository. */
export function rollbackCommand(
  { name, namespace, context }: Pick<Deployment, "name" | "namespace" | "context">,
  revision: number,
): string {
  const place = context === undefined ? [] : ["--context", shellWord(context)];
  const words = ["--deployment", name, "--namespace", namespace, ...place, "--to", `${revision}`];
  return `qvs rollback ${words.join(" ")}`;
}

/** For a shell. Names of deployments and namespaces are DNS labels; a context may be called anything. */
export function shellWord(text: string): string {
  return /^[\w.:/@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
