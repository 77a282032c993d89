import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

/**
 * Compares the reusable workflows with action.yml: each input of the action is an input of the
 * workflows, except those listed here.
 */
const root = join(import.meta.dirname, "../..");

interface Declared {
  readonly description?: string;
  readonly type?: string;
  readonly required?: boolean;
  readonly default?: unknown;
}
type Named<T> = Readonly<Record<string, T>>;

interface Job {
  readonly concurrency: Named<unknown>;
  readonly outputs: Named<string>;
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly with?: Named<string>;
  readonly secrets?: Named<string>;
  readonly permissions?: Named<string>;
  readonly environment?: unknown;
  readonly "runs-on"?: string;
  readonly "timeout-minutes"?: number | string;
  readonly steps: readonly {
    readonly id?: string;
    readonly if?: string;
    readonly run?: string;
    readonly uses?: string;
    readonly env?: Named<string>;
    readonly with: Named<string>;
  }[];
}

interface Workflow {
  readonly on: {
    readonly workflow_call: {
      readonly inputs: Named<Declared>;
      readonly secrets?: Named<Declared>;
      readonly outputs: Named<{ readonly description: string; readonly value: string }>;
    };
  };
  readonly jobs: Named<Job>;
}

const action = read<{ inputs: Named<Declared>; outputs: Named<Declared> }>("action.yml");
const secrets = ["kubeconfig", "modules-token", "webhook-url", "webhook-secret"];
/** Inputs that only the workflows have. */
const own = ["environment", "environment-suffix", "login", "runs-on", "timeout-minutes", "wait-at"];

const usesJobToken = "the job's own token has the permissions that the workflow grants";
const onlyPreviews = "only for previews";
const fixedByWorkflow = "the workflow has a fixed mode";
const alreadyRecorded = "the recorded release contains their result";
const onlyReleases = "only for releases, and a preview creates none";
const ofOneJob = "only for jobs of one workflow that share a result";
const oneByOne = "a preview applies nothing";
const forReports = "only for the last job of deploy.yml";
const forJobs = "a file of the runner, which the workflow uploads for its last job";
const forDrift = "only for drift.yml";
const forLists = "only for the jobs of deploy.yml";
const forCommands = "only for command.yml";
const ofEnvironment = "the job sets it as the address of its environment";
/** The inputs of command.yml, which no other workflow has. */
const commandInputs = { "plan-workflow": forCommands, "rollback-workflow": forCommands };

/** The excluded inputs and outputs, with the reasons. */
const workflows = [
  {
    name: "plan",
    excluded: {
      command: forCommands,
      release: "a preview creates none",
      "environment-url": "a preview deploys nothing to an environment",
      "plan-path": "a file of the runner, which the workflow uploads",
      "result-path": "a preview creates none",
      environments: forLists,
      approvals: forLists,
      "gave-way": "only for the levels of deploy.yml",
      matrix: forLists,
      "preview-html": "a file of the runner, which the workflow uploads",
      drifted: forDrift,
    },
    fixedInputs: { "preview-artifact": "${{ steps.page.outputs.name }}" },
    leftOut: {
      ...commandInputs,
      reconcile: forDrift,
      issue: forDrift,
      mode: fixedByWorkflow,
      results: forReports,
      expected: forReports,
      token: usesJobToken,
      "github-deployments": onlyReleases,
      "environment-url": onlyReleases,
      plans: "only for the mode comment",
      "preview-artifact": "the workflow uploads it under its own name",
      branch: "previews are for pull requests into any branch",
      revision: "only for rollbacks",
      "keep-releases": "a deployment deletes old records, and a preview doesn't show them",
      "expect-digest": "the plan of a preview is approved later",
      approvals: ofOneJob,
      "allow-outside-namespace": "only for rollbacks",
      "allow-irreversible": "only for rollbacks",
      "allow-failed": "only for rollbacks",
      "dry-run": "only for rollbacks",
      "override-freeze": "a preview only reports a freeze",
      "on-failure": "a preview can't fail after a deployment",
      "allow-older": "a preview only reports an older commit",
      concurrency: oneByOne,
      "no-progress-timeout": oneByOne,
    },
  },
  {
    name: "deploy",
    excluded: {
      command: forCommands,
      "environment-url": ofEnvironment,
      "comment-url": "a push can merge several pull requests",
      "result-path": forJobs,
      approvals: forLists,
      "gave-way": "only for the levels of deploy.yml",
      "preview-html": onlyPreviews,
      "plan-path": onlyPreviews,
      drifted: forDrift,
    },
    // Deployments that the list leaves to environments are never deployed without them.
    fixedInputs: {
      deployment:
        "${{ steps.list.outcome == 'skipped' && inputs.deployment || steps.list.outputs.deployments }}",
    },
    leftOut: {
      ...commandInputs,
      reconcile: forDrift,
      issue: forDrift,
      mode: fixedByWorkflow,
      results: forReports,
      expected: forReports,
      token: usesJobToken,
      check: onlyPreviews,
      labels: onlyPreviews,
      "fail-on": onlyPreviews,
      "against-version": onlyPreviews,
      "preview-artifact": onlyPreviews,
      approvals: ofOneJob,
      plans: "only for the mode comment",
      revision: "only for rollbacks",
      "allow-outside-namespace": "only for rollbacks",
      "allow-irreversible": "only for rollbacks",
      "allow-failed": "only for rollbacks",
      "dry-run": "only for rollbacks",
    },
  },
  {
    name: "rollback",
    excluded: {
      command: forCommands,
      "environment-url": ofEnvironment,
      "comment-url": "a rollback is reported on no pull request",
      "result-path": "no other job reports it",
      deployments: "the input names the only deployment",
      environments: forLists,
      approvals: forLists,
      "gave-way": "only for the levels of deploy.yml",
      matrix: forLists,
      "preview-html": onlyPreviews,
      "plan-path": onlyPreviews,
      drifted: forDrift,
    },
    fixedInputs: {},
    leftOut: {
      ...commandInputs,
      reconcile: forDrift,
      issue: forDrift,
      mode: fixedByWorkflow,
      results: forReports,
      expected: forReports,
      token: usesJobToken,
      check: onlyPreviews,
      labels: onlyPreviews,
      "fail-on": onlyPreviews,
      "against-version": onlyPreviews,
      "preview-artifact": onlyPreviews,
      "approved-plan": "no pull request restores a release",
      approvals: ofOneJob,
      plans: "only for the mode comment",
      params: alreadyRecorded,
      param: alreadyRecorded,
      "allow-older": "the target of a rollback is a release, not a commit",
      "on-failure": "only for deployments",
      "modules-token": "nothing is compiled",
      "modules-host": "nothing is compiled",
      comment: "a rollback is reported on no pull request",
      "comment-key": "a rollback is reported on no pull request",
    },
  },
  {
    name: "drift",
    excluded: {
      command: forCommands,
      ...Object.fromEntries(
        [
          ...[
            "outcome",
            "changed",
            "to-create",
            "to-update",
            "to-replace",
            "to-delete",
            "has-deletions",
          ],
          ...["plan-digest", "release", "plan-path", "preview-html", "result-path", "comment-url"],
          ...["deployments", "environments", "matrix", "approvals", "gave-way", "environment-url"],
        ].map((output) => [output, "only for previews, deployments and rollbacks"]),
      ),
    },
    fixedInputs: {},
    leftOut: {
      ...commandInputs,
      mode: fixedByWorkflow,
      results: forReports,
      expected: forReports,
      token: usesJobToken,
      check: onlyPreviews,
      labels: onlyPreviews,
      "github-deployments": "a correction creates no release",
      "environment-url": "only for github-deployments",
      "fail-on": onlyPreviews,
      "against-version": onlyPreviews,
      "preview-artifact": onlyPreviews,
      "approved-plan": "drift was never approved",
      "expect-digest": "drift isn't known in advance",
      approvals: ofOneJob,
      plans: "only for the mode comment",
      params: alreadyRecorded,
      param: alreadyRecorded,
      revision: "always the current release",
      "allow-older": "a correction applies a release, not a commit",
      "allow-failed": "only successful releases are compared",
      "dry-run": "only for rollbacks",
      "on-failure": "the corrected release is the only rollback target",
      "modules-token": "nothing is compiled",
      "modules-host": "nothing is compiled",
      comment: "drift is reported on no pull request",
      conflicts: "a correction always takes back its fields",
      takeover: "a correction always takes back its fields",
      "keep-releases": "a correction creates no release",
      "keep-revisions": "only a deployment deletes old revisions",
      adopt: "a correction uses the recorded choice",
    },
  },
  {
    name: "comment",
    excluded: {
      command: forCommands,
      ...Object.fromEntries(
        [
          ...[
            "outcome",
            "changed",
            "to-create",
            "to-update",
            "to-replace",
            "to-delete",
            "has-deletions",
          ],
          ...["plan-digest", "release", "plan-path", "preview-html", "result-path"],
          ...["deployments", "environments", "matrix", "approvals", "gave-way", "drifted"],
          "environment-url",
        ].map((output) => [output, "other jobs can forge it, so it isn't reliable"]),
      ),
    },
    fixedInputs: {},
    leftOut: {
      ...Object.fromEntries(
        Object.keys(action.inputs)
          .filter((input) => input !== "comment" && input !== "summary")
          .map((input) => [input, "the workflow only reads plans"]),
      ),
      token: usesJobToken,
      mode: fixedByWorkflow,
    },
  },
  {
    name: "environment",
    excluded: Object.fromEntries(
      Object.keys(action.outputs)
        .filter((output) => output !== "comment-url")
        .map((output) => [output, "only for previews, deployments and rollbacks"]),
    ),
    fixedInputs: {},
    leftOut: {
      ...commandInputs,
      reconcile: forDrift,
      issue: forDrift,
      mode: fixedByWorkflow,
      results: forReports,
      expected: forReports,
      token: usesJobToken,
      check: onlyPreviews,
      labels: onlyPreviews,
      "fail-on": onlyPreviews,
      "against-version": onlyPreviews,
      "preview-artifact": onlyPreviews,
      "approved-plan": "no pull request is merged yet",
      "expect-digest": "no one approves the plan of an environment",
      approvals: ofOneJob,
      plans: "only for the mode comment",
      config: "the entries with preview decide",
      deployment: "the entries with preview decide",
      "comment-key": "each list has its own comment about environments",
      "environment-url": "the entry has the address",
      revision: "only for rollbacks",
      "allow-delete": "an environment has no data to keep",
      "allow-older": "only the newest commit of a pull request is deployed",
      "allow-outside-namespace": "only for rollbacks",
      "allow-irreversible": "only for rollbacks",
      "allow-failed": "only for rollbacks",
      "dry-run": "only for rollbacks",
      "on-failure": "a failed environment stays for its author",
      conflicts: "an environment has no other owners",
      takeover: "an environment has no other owners",
      adopt: "qvs adopts no environment of others",
      "keep-releases": "an environment needs no rollback",
      "keep-revisions": "an environment needs no rollback",
      "webhook-url": "environments send no notifications",
      "webhook-secret": "environments send no notifications",
    },
  },
  {
    name: "command",
    excluded: Object.fromEntries(
      Object.keys(action.outputs)
        .filter((output) => output !== "command")
        .map((output) => [output, "a command only starts other workflows"]),
    ),
    fixedInputs: {},
    leftOut: {
      ...Object.fromEntries(
        Object.keys(action.inputs)
          .filter((input) => !["working-directory", ...Object.keys(commandInputs)].includes(input))
          .map((input) => [input, "a command only starts other workflows"]),
      ),
      token: usesJobToken,
      mode: fixedByWorkflow,
    },
  },
].map(({ name, excluded, fixedInputs, leftOut }) => {
  const workflow = read<Workflow>(`.github/workflows/${name}.yml`);
  const job = workflow.jobs[name];
  if (job === undefined) throw new Error(`${name}.yml has no job ${name}`);
  return {
    name,
    excluded,
    fixedInputs,
    leftOut,
    job,
    secrets: {},
    ...workflow.on.workflow_call,
  };
});

test.each(workflows)(
  "the workflow $name has every input that isn't excluded for a reason",
  (workflow) => {
    const offered = [...Object.keys(workflow.inputs), ...Object.keys(workflow.secrets)];
    const expected = [
      ...Object.keys(action.inputs),
      ...own.filter((name) => workflow.inputs[name]),
    ];
    const missing = expected.filter((name) => !(name in workflow.leftOut));
    expect(offered.toSorted()).toEqual(missing.toSorted());
    for (const name of secrets) expect(workflow.inputs).not.toHaveProperty(name);
    for (const reason of Object.values(workflow.leftOut)) expect(reason).toMatch(/\w+ \w+ \w+/);
  },
);

test.each(workflows)(
  "the workflow $name passes every input on, and no other",
  ({ name, inputs, fixedInputs, ...rest }) => {
    const given = rest.job.steps.find(({ id }) => id === "qvs")?.with ?? {};
    const passed = Object.keys(inputs).filter((input) => !own.includes(input));
    expect(given).toEqual({
      mode: name === "plan" ? "diff" : name,
      ...Object.fromEntries(passed.map((input) => [input, handedOn(input, "inputs")])),
      ...fixedInputs,
      ...Object.fromEntries(
        Object.keys(rest.secrets).map((secret) => [secret, `\${{ secrets.${secret} }}`]),
      ),
    });
  },
);

/**
 * Inputs that can differ between environments and aren't secret. A variable of the environment can
 * set them.
 */
const variables: Named<string> = {
  server: "QVS_SERVER",
  "certificate-authority": "QVS_CERTIFICATE_AUTHORITY",
  "oidc-audience": "QVS_OIDC_AUDIENCE",
};

function handedOn(input: string, from: string): string {
  const variable = variables[input];
  return `\${{ ${from}.${input}${variable === undefined ? "" : ` || vars.${variable}`} }}`;
}

test.each(workflows)("the workflow $name has the defaults of the action", ({ name, inputs }) => {
  for (const [input, { description, type, required, default: byDefault }] of Object.entries(
    inputs,
  )) {
    expect(description, input).toMatch(/\.$/);
    expect(input === "timeout-minutes" ? ["number"] : ["string", "boolean"], input).toContain(type);
    if (own.includes(input) || required) continue;
    const expected =
      name === "rollback" && input === "revision" ? "previous" : action.inputs[input]?.default;
    expect(String(byDefault), input).toBe(expected);
  }
});

test.each(workflows)("the workflow $name has every output that isn't excluded", (workflow) => {
  const { name, outputs, job, excluded } = workflow;
  const expected = Object.keys(action.outputs).filter((output) => !(output in excluded));
  expect(Object.keys(outputs).toSorted()).toEqual(expected.toSorted());
  for (const output of expected) {
    const given = `steps.qvs.outputs.${output}`;
    if (name === "plan") {
      const other = output === "deployments" ? "needs.list.outputs.deployments" : given;
      const first = output === "deployments" ? given : `steps.merged.outputs.${output}`;
      expect(job.outputs[output]).toBe(`\${{ ${first} || ${other} }}`);
      expect(outputs[output]?.value).toBe(`\${{ jobs.plan.outputs.${output} }}`);
      continue;
    }
    if (["deployments", "environments", "matrix"].includes(output) && name === "deploy") {
      expect(job.outputs[output]).toContain(`steps.list.outputs.${output}`);
      expect(outputs[output]?.value).toBe(`\${{ jobs.deploy.outputs.${output} }}`);
      continue;
    }
    expect(job.outputs[output]).toBe(`\${{ ${given} }}`);
    const last = name === "deploy" ? `jobs.report.outputs.${output} || ` : "";
    expect(outputs[output]?.value).toBe(`\${{ ${last}jobs.${name}.outputs.${output} }}`);
  }
});

const deploy = read<Workflow>(".github/workflows/deploy.yml");
const level = read<Workflow>(".github/workflows/deploy-level.yml").jobs.deploy;
const levels = Object.entries(read<Workflow>(".github/workflows/deploy-levels.yml").jobs);

test("each of ten levels waits for the previous one and gets its own jobs", () => {
  expect(levels.map(([name]) => name)).toEqual(
    Array.from({ length: 10 }, (_, index) => `level-${index}`),
  );
  for (const [index, [, job]] of levels.entries()) {
    expect(job.needs).toEqual(index === 0 ? undefined : `level-${index - 1}`);
    expect(job.if).toContain(`.levels[${index}].jobs[0].name`);
    // With a function such as always(), a level would continue after a failure of the previous one.
    expect(job.if).not.toMatch(/always|failure|cancelled|success/);
    expect(job.with).toEqual({
      jobs: `\${{ toJSON(fromJSON(inputs.matrix).levels[${index}].jobs) }}`,
      inputs: "${{ inputs.inputs }}",
      approvals: "${{ inputs.approvals }}",
      results: "${{ inputs.results }}",
    });
    expect(job.secrets).toEqual(passedSecrets);
  }
});

test("the levels get the list of jobs, and the report waits for them", () => {
  const { levels: nested, report } = deploy.jobs;
  expect(nested?.needs).toBe("deploy");
  expect(nested?.with).toEqual({
    matrix: "${{ needs.deploy.outputs.matrix }}",
    inputs: "${{ toJSON(inputs) }}",
    approvals: "${{ needs.deploy.outputs.approvals }}",
    results: "${{ needs.deploy.outputs.results }}",
  });
  expect(nested?.secrets).toEqual(passedSecrets);
  expect(report?.needs).toEqual(["deploy", "levels"]);
});

test("the job without an environment logs in to read, and to deploy only if it has something to deploy", () => {
  const logins = deploy.jobs.deploy?.steps.filter(({ uses }) => uses === "$/run/login") ?? [];
  expect(logins.map(({ with: given }) => given.access)).toEqual(["preview", "deploy"]);
  expect(logins[1]?.if).toContain("steps.list.outputs.environments == '[]'");
  expect(logins[1]?.if).toContain("steps.list.outputs.deployments != '[]'");
});

test("runs of Dependabot and of forks don't log in", () => {
  const login = ({ steps = [] }: Partial<Job> = {}) =>
    steps.find(({ uses }) => uses === "$/run/login");
  expect(login(plan.jobs.plan)?.if).toContain("head.repo.full_name == github.repository");
  for (const job of [plan.jobs.plan, each])
    expect(login(job)?.if).toContain("github.actor != 'dependabot[bot]'");
  expect(plan.jobs.list?.if).toContain("head.repo.full_name == github.repository");
});

test("a push without environments skips two jobs", () => {
  expect(Object.keys(deploy.jobs)).toEqual(["deploy", "levels", "report"]);
});

const passedSecrets = {
  kubeconfig: "${{ secrets.kubeconfig }}",
  "modules-token": "${{ secrets.modules-token }}",
  "webhook-url": "${{ secrets.webhook-url }}",
  "webhook-secret": "${{ secrets.webhook-secret }}",
};

test("the jobs that deploy set the address of their environment", () => {
  const rollback = workflows.find(({ name }) => name === "rollback")?.job;
  for (const job of [deploy.jobs.deploy, level, rollback])
    expect(job?.environment).toMatchObject({ url: "${{ steps.qvs.outputs.environment-url }}" });
});

test("a job of a level gets every input of the single job", () => {
  const all = deploy.jobs.deploy?.steps.find(({ id }) => id === "qvs")?.with ?? {};
  const given = level?.steps.find(({ id }) => id === "qvs")?.with ?? {};
  const own = ["mode", "deployment", "comment", "summary", ...secrets];
  expect(Object.keys(given).toSorted()).toEqual([...Object.keys(all), "approvals"].toSorted());
  expect(given.approvals).toBe("${{ inputs.approvals }}");
  for (const name of Object.keys(all).filter((each) => !own.includes(each)))
    expect(given[name]).toBe(handedOn(name, "fromJSON(inputs.inputs)"));
  for (const name of ["mode", ...secrets]) expect(given[name]).toBe(all[name]);
});

const plan = read<Workflow>(".github/workflows/plan.yml");
const each = read<Workflow>(".github/workflows/plan-environments.yml").jobs.plan;

test("the job of an environment gets every input of the single preview, and its own approvals", () => {
  const all = plan.jobs.plan?.steps.find(({ id }) => id === "qvs")?.with ?? {};
  const given = each?.steps.find(({ id }) => id === "qvs")?.with ?? {};
  const own = ["mode", "deployment", "comment", "summary", ...secrets];
  const previewInputs = ["preview-artifact", "check", "labels"];
  const inputs = Object.keys(all).filter((input) => !previewInputs.includes(input));
  expect(Object.keys(given).toSorted()).toEqual([...inputs, "approvals"].toSorted());
  expect(given.approvals).toBe("${{ inputs.approvals }}");
  for (const name of inputs.filter((input) => !own.includes(input)))
    expect(given[name]).toBe(handedOn(name, "fromJSON(inputs.inputs)"));
  for (const name of ["mode", ...secrets]) expect(given[name]).toBe(all[name]);
});

test("every job accepts labels and groups of runners, and its time limit is an input or short", () => {
  const files = [...workflows.map(({ name }) => name), "plan-environments", "deploy-level"];
  const jobs = files.flatMap((file) =>
    Object.values(read<Workflow>(`.github/workflows/${file}.yml`).jobs),
  );
  const onRunners = jobs.filter((job) => job["runs-on"] !== undefined);
  expect(onRunners.length).toBeGreaterThan(7);
  for (const { "runs-on": runner = "", "timeout-minutes": limit } of onRunners) {
    const input = /\S+\.runs-on(?= \}\})/.exec(runner)?.[0] ?? "";
    expect(runner).toBe(
      `\${{ (startsWith(${input}, '[') || startsWith(${input}, '{')) && fromJSON(${input}) || ${input} }}`,
    );
    const isShort = typeof limit === "number" && limit <= 15;
    expect(isShort || /inputs.*\.timeout-minutes \}\}$/.test(String(limit))).toBe(true);
  }
});

test("previews never wait for the reviewers of a deployment environment", () => {
  expect(plan.jobs.list?.if).toContain("inputs.environment-suffix != ''");
  expect(each?.environment).toEqual({
    name: "${{ matrix.job.environment != '' && format('{0}{1}', matrix.job.environment, fromJSON(inputs.inputs).environment-suffix) || '' }}",
    deployment: false,
  });
  for (const job of ["list", "plan"]) expect(plan.jobs[job]).not.toHaveProperty("environment");
});

test("the check of the job plan has the overall verdict and is never skipped", () => {
  const job = plan.jobs.plan;
  expect(job?.needs).toEqual(["list", "environments"]);
  // GitHub treats a required check that was skipped as passed.
  expect(job?.if).toBe("${{ always() }}");
  const conditions = job?.steps.flatMap(({ run, if: condition }) =>
    run?.includes("exit 1") && condition !== undefined ? [condition] : [],
  );
  expect(conditions).toEqual([
    "${{ needs.list.result == 'cancelled' || needs.environments.result == 'cancelled' }}",
    "${{ needs.list.result == 'success' && needs.list.outputs.matrix == '' }}",
    "${{ !cancelled() && (needs.list.result == 'failure' || needs.environments.result == 'failure') }}",
  ]);
});

test("jobs with variable permissions inherit those of the calling job, and all other jobs declare theirs", () => {
  const files = [
    ...workflows.map(({ name }) => name),
    "plan-environments",
    "deploy-levels",
    "deploy-level",
  ];
  const found = files.flatMap((file) => {
    const { jobs, ...workflow } = read<Workflow>(`.github/workflows/${file}.yml`);
    const granted = Object.keys(jobs).filter((name) => jobs[name]?.permissions === undefined);
    // Permissions of a workflow would replace those that the calling job grants.
    const declaresPermissions = "permissions" in workflow;
    expect(declaresPermissions, file).toBe(granted.length === 0);
    return granted.map((name) => `${file}: ${name}`);
  });
  expect(found.filter((each) => !each.includes("level-"))).toEqual([
    "plan: environments",
    "plan: plan",
    "deploy: deploy",
    "deploy: levels",
    "rollback: rollback",
    "drift: drift",
    "environment: environment",
    "plan-environments: plan",
    "deploy-level: deploy",
  ]);
  for (const file of ["plan", "deploy", "rollback", "drift", "comment"]) {
    const { jobs, ...workflow } = read<Workflow>(`workflows/${file}.yml`);
    expect(workflow).toMatchObject({ permissions: {} });
    for (const job of Object.values(jobs)) expect(job.permissions).toBeDefined();
  }
});

test("the environment's own GitHub deployment is omitted if each release creates one", () => {
  const rollback = workflows.find(({ name }) => name === "rollback")?.job;
  const off = "${{ !inputs.github-deployments }}";
  const name = "${{ inputs.environment }}";
  for (const job of [deploy.jobs.deploy, rollback])
    expect(job?.environment).toMatchObject({ name, deployment: off });
  expect(level?.environment).toMatchObject({
    name: "${{ matrix.job.environment }}",
    deployment: "${{ !fromJSON(inputs.inputs).github-deployments }}",
  });
});

test("previews of two workflows or two lists don't cancel each other", () => {
  const group =
    "qvs-plan-${{ github.workflow }}-${{ inputs.comment-key || inputs.working-directory }}-${{ github.event.pull_request.number || github.ref }}";
  // With jobs before it, each run has its own group: test/project/concurrency.test.ts.
  const ofRun = "${{ inputs.environment-suffix != '' && format('-{0}', github.run_id) || '' }}";
  expect(plan.jobs.plan?.concurrency).toEqual({
    group: `${group}${ofRun}`,
    "cancel-in-progress": true,
  });
  const inputs = group.replaceAll("inputs.", "fromJSON(inputs.inputs).");
  expect(each?.concurrency).toEqual({
    group: `${inputs}-\${{ matrix.job.name }}-\${{ github.run_id }}`,
    "cancel-in-progress": true,
  });
});

test("the runs of two workflows of one fork don't cancel each other's comment", () => {
  const job = workflows.find(({ name }) => name === "comment")?.job;
  expect(job?.concurrency).toEqual({
    group:
      "qvs-comment-${{ github.event.workflow_run.workflow_id }}-${{ github.event.workflow_run.head_repository.full_name }}-${{ github.event.workflow_run.head_branch }}",
    "cancel-in-progress": true,
  });
});

/** Returns the names and patterns of artifacts that a job uploads or downloads. */
function artifactsOf(job: Job | undefined): readonly (string | undefined)[] {
  return (job?.steps ?? []).flatMap((step) =>
    step.uses?.includes("-artifact@") ? [step.with.name ?? step.with.pattern] : [],
  );
}

test("two lists that one run deploys have separate results, whatever the names of their deployments", () => {
  expect(artifactsOf(level)).toEqual(["${{ inputs.results }}-${{ matrix.job.name }}"]);
  expect(artifactsOf(deploy.jobs.report)).toEqual(["${{ needs.deploy.outputs.results }}-*"]);
  // Two callers might differ only in a secret, so their inputs can't distinguish them.
  const step = deploy.jobs.deploy?.steps.find(({ id }) => id === "artifacts");
  expect(deploy.jobs.deploy?.outputs.results).toBe("${{ steps.artifacts.outputs.results }}");
  expect(step?.run).toBe('echo "results=qvs-result-$RANDOM$RANDOM$RANDOM" >> "$GITHUB_OUTPUT"\n');
});

test("two lists that one run previews have separate plans, and a restarted job overwrites its own", {
  tags: "slow",
}, () => {
  const [list, job] = [plan.jobs.list, plan.jobs.plan];
  expect(artifactsOf(each)).toEqual(["${{ inputs.plans }}-${{ matrix.job.name }}"]);
  expect(plan.jobs.environments?.with?.plans).toBe("${{ needs.list.outputs.plans }}");
  expect(list?.outputs.plans).toBe("${{ steps.artifacts.outputs.plans }}");
  expect(artifactsOf(job)).toEqual([
    "${{ steps.artifacts.outputs.plans }}",
    "${{ steps.artifacts.outputs.plans }}-*",
    "${{ steps.page.outputs.name }}",
  ]);
  const [one, other] = [list, job].map((it) => it?.steps.find(({ id }) => id === "artifacts"));
  expect(one).toEqual(other);
  expect(one?.env).toEqual({ INPUTS: "${{ toJSON(inputs) }}" });
  const name = (inputs: string) => outputOf(one, { INPUTS: inputs });
  expect(name('{"working-directory":"a"}')).toMatch(/^plans=qvs-plan-[0-9a-f]{12}\n$/);
  expect(name("{}")).toBe(name("{}"));
  expect(name("{}")).not.toBe(name('{"working-directory":"a"}'));
});

/** Returns the outputs that a step writes. */
function outputOf(step: { readonly run?: string } | undefined, env: Named<string>): string {
  const file = join(mkdtempSync(join(tmpdir(), "output-")), "output");
  execFileSync("bash", ["-e", "-c", step?.run ?? ""], {
    env: { PATH: process.env.PATH, ...env, GITHUB_OUTPUT: file },
  });
  return readFileSync(file, "utf8");
}

test("two lists that one run previews with separate comments also have separate pages", {
  tags: "slow",
}, () => {
  const step = plan.jobs.plan?.steps.find(({ id }) => id === "page");
  expect(step?.env).toEqual({
    KEY: "${{ inputs.comment-key || inputs.working-directory }}",
    PLANS: "${{ steps.artifacts.outputs.plans }}",
  });
  const name = (KEY: string) => outputOf(step, { KEY, PLANS: "qvs-plan-0123456789ab" });
  expect(name("")).toBe("name=qvs-preview.html\n");
  expect(name("apps/shop")).toBe("name=qvs-preview-0123456789ab.html\n");
});

test("deployments and rollbacks wait for each other, and none is canceled or dropped", () => {
  const queue = { queue: "max", "cancel-in-progress": false };
  expect(deploy.jobs.deploy?.concurrency).toEqual({
    group: "qvs-${{ inputs.wait-at == 'lock' && github.run_id || inputs.environment }}",
    ...queue,
  });
  const alone = (settings: string) =>
    `\${{ ${settings}.wait-at == 'lock' && github.run_id || '' }}`;
  const ofLevel = `\${{ matrix.job.group }}${alone("fromJSON(inputs.inputs)")}`;
  expect(level?.concurrency).toEqual({ group: ofLevel, ...queue });
  // buildMatrix names the group of a deployment's job `qvs-NAME`.
  const rollback = workflows.find(({ name }) => name === "rollback");
  const ofRollback = `qvs-\${{ inputs.deployment }}${alone("inputs")}`;
  expect(rollback?.job.concurrency).toEqual({ group: ofRollback, ...queue });
});

function read<T>(path: string): T {
  return parse(readFileSync(join(root, path), "utf8")) as T;
}
