/** A job of a run, in the order in which the jobs become ready. */
export interface ReadyJob {
  readonly run: string;
  readonly group: string;
  readonly cancelInProgress: boolean;
}

/**
 * Returns the runs whose job is canceled by a job of the same group that becomes ready later, while
 * the first one is in progress. GitHub doesn't compare the age of the runs.
 * Source: docs.github.com/en/actions/how-tos/write-workflows, "Control workflow concurrency".
 */
export function canceledRuns(jobs: readonly ReadyJob[]): readonly string[] {
  const canceled = jobs.filter((job, index) =>
    jobs.slice(index + 1).some((later) => later.group === job.group && later.cancelInProgress),
  );
  return canceled.map(({ run }) => run);
}

/** Returns a text of a workflow with the values of its expressions. Each must be known. */
export function evaluated(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const value = values[expression];
    if (value === undefined) throw new Error(`The value of ${expression} is unknown`);
    return value;
  });
}
